/** Relative to the working directory, as in a project's root. */
export const DEFAULT_DATA_DIRECTORY = '.perdure';
