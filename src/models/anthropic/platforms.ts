import type { ClientOptions as VertexClientOptions } from '@anthropic-ai/vertex-sdk/client';
import { loadOptionalPackage } from '../../core/optional-package.ts';
import type { Model } from '../model.ts';
import { anthropicModel, type AnthropicModelOptions } from './anthropic-model.ts';
import { CLIENT_DEFAULTS } from './client.ts';

type AuthClient = NonNullable<VertexClientOptions['authClient']>;

interface PlatformOptions extends AnthropicModelOptions {
  /** Default: the platform's own for the region. */
  readonly baseURL?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
}

export interface AnthropicBedrockOptions extends PlatformOptions {
  /** Default: `AWS_REGION`, else `us-east-1`. */
  readonly region?: string;
  /** A Bedrock API key. Default: `AWS_BEARER_TOKEN_BEDROCK`, else AWS credentials as their SDK finds them. */
  readonly apiKey?: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
}

/** A Claude model on Amazon Bedrock. Needs the package `@anthropic-ai/bedrock-sdk`. */
export function anthropicBedrock(id: string, options: AnthropicBedrockOptions = {}): Model {
  return anthropicModel(id, {
    provider: 'aws.bedrock',
    options,
    credentials: 'set AWS_BEARER_TOKEN_BEDROCK, or AWS credentials, or pass apiKey',
    async connect() {
      const { AnthropicBedrock } = await loadOptionalPackage(
        '@anthropic-ai/bedrock-sdk',
        'Claude on Bedrock',
        () => import('@anthropic-ai/bedrock-sdk'),
      );
      const { region, apiKey, accessKeyId, secretAccessKey, sessionToken } = options;
      const common = {
        ...clientOptions(options),
        ...(region === undefined ? {} : { awsRegion: region }),
        ...(apiKey === undefined ? {} : { apiKey }),
      };
      if (accessKeyId === undefined || secretAccessKey === undefined) {
        return new AnthropicBedrock(common);
      }
      return new AnthropicBedrock({
        ...common,
        awsAccessKey: accessKeyId,
        awsSecretKey: secretAccessKey,
        awsSessionToken: sessionToken ?? null,
      });
    },
  });
}

export interface AnthropicVertexOptions extends PlatformOptions {
  /** Default: `CLOUD_ML_REGION`. */
  readonly region?: string;
  /** Default: that of the Google credentials. */
  readonly projectId?: string;
  /** Asked at every request. Default: Google credentials as their library finds them. */
  readonly accessToken?: () => Promise<string>;
}

/** A Claude model on Google Vertex AI. Needs the package `@anthropic-ai/vertex-sdk`. */
export function anthropicVertex(id: string, options: AnthropicVertexOptions = {}): Model {
  return anthropicModel(id, {
    provider: 'gcp.vertex_ai',
    options,
    credentials: 'set Google application default credentials, or pass accessToken',
    async connect() {
      const { AnthropicVertex } = await loadOptionalPackage(
        '@anthropic-ai/vertex-sdk',
        'Claude on Vertex AI',
        () => import('@anthropic-ai/vertex-sdk'),
      );
      const { region, projectId, accessToken } = options;
      return new AnthropicVertex({
        ...clientOptions(options),
        ...(region === undefined ? {} : { region }),
        ...(projectId === undefined ? {} : { projectId }),
        ...(accessToken === undefined ? {} : { authClient: bearer(accessToken) }),
      });
    },
  });
}

/** What the client needs of Google's library when the token comes from elsewhere. */
function bearer(accessToken: () => Promise<string>): AuthClient {
  const client: Pick<AuthClient, 'getRequestHeaders'> = {
    getRequestHeaders: async () => new Headers({ authorization: `Bearer ${await accessToken()}` }),
  };
  return client as AuthClient;
}

function clientOptions({ baseURL, headers, fetch }: PlatformOptions) {
  return {
    ...CLIENT_DEFAULTS,
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(headers === undefined ? {} : { defaultHeaders: headers }),
    ...(fetch === undefined ? {} : { fetch }),
  };
}
