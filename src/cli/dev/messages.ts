/** What `perdure dev` and its worker process say to each other. */

/** From the worker process. */
export type FromWorker =
  | { readonly kind: 'imported'; readonly file: string }
  | { readonly kind: 'loaded'; readonly agents: readonly string[] }
  | { readonly kind: 'ready' }
  /** It ends, and this is why. */
  | { readonly kind: 'failed'; readonly message: string };

/** To the worker process, once the server is ready. */
export interface Serve {
  readonly address: string;
  readonly namespace: string;
  readonly dataDirectory: string;
  readonly taskQueue?: string | undefined;
}
