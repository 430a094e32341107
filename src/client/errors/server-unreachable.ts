/** No Temporal server answers at the address. */
export class ServerUnreachable extends Error {
  override readonly name = 'ServerUnreachable';
  readonly address: string;

  constructor(address: string, options?: { readonly cause?: unknown }) {
    super(
      `no Temporal server answers at ${address}: start one (perdure dev), ` +
        'or give its address with --address, TEMPORAL_ADDRESS or a Temporal profile',
      options,
    );
    this.address = address;
  }
}
