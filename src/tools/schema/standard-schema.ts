/**
 * What schema libraries have agreed on (standardschema.dev): a validator, static types, and in newer
 * releases the JSON Schema of what they take.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?:
      { readonly input: (options: { readonly target: 'draft-2020-12' }) => unknown } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export function isStandardSchema(schema: unknown): schema is StandardSchema {
  const canHold = (typeof schema === 'object' && schema !== null) || typeof schema === 'function';
  if (!canHold || !('~standard' in schema)) return false;
  const standard: unknown = schema['~standard'];
  return (
    typeof standard === 'object' &&
    standard !== null &&
    'validate' in standard &&
    typeof standard.validate === 'function'
  );
}
