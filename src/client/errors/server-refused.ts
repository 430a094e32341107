/** A server answers, and will not serve this client: unknown namespace, missing or wrong credentials. */
export class ServerRefused extends Error {
  override readonly name = 'ServerRefused';
  readonly address: string;
  readonly reason: 'namespace' | 'credentials';

  constructor(
    refused: {
      readonly address: string;
      readonly namespace: string;
      readonly reason: 'namespace' | 'credentials';
    },
    options?: { readonly cause?: unknown },
  ) {
    super(
      refused.reason === 'namespace'
        ? `the server at ${refused.address} has no namespace "${refused.namespace}": ` +
            `create it (temporal operator namespace create ${refused.namespace}), or give another with --namespace or TEMPORAL_NAMESPACE`
        : `the server at ${refused.address} did not accept our credentials for namespace "${refused.namespace}": ` +
            'check TEMPORAL_API_KEY or the TLS settings of the Temporal profile',
      options,
    );
    this.address = refused.address;
    this.reason = refused.reason;
  }
}
