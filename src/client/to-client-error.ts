import {
  isGrpcServiceError,
  NamespaceNotFoundError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ConversationNotFound } from './errors/conversation-not-found.ts';
import { ServerRefused } from './errors/server-refused.ts';
import { ServerUnreachable } from './errors/server-unreachable.ts';

/** gRPC status codes, from the gRPC specification. */
export const GRPC = {
  cancelled: 1,
  invalidArgument: 3,
  deadline: 4,
  notFound: 5,
  permission: 7,
  unavailable: 14,
  unauthenticated: 16,
};

interface Asked {
  readonly address: string;
  readonly namespace: string;
  readonly conversationId?: string;
}

/**
 * The typed form of an error of the Temporal client, with its mend; an error that has none is
 * returned as it is.
 */
export function toClientError(error: unknown, asked: Asked): unknown {
  if (error instanceof NamespaceNotFoundError) {
    return new ServerRefused({ ...asked, reason: 'namespace' }, { cause: error });
  }
  if (error instanceof WorkflowNotFoundError && asked.conversationId !== undefined) {
    return new ConversationNotFound(asked.conversationId, asked.namespace, { cause: error });
  }
  switch (grpcCode(error)) {
    case GRPC.unavailable:
      return new ServerUnreachable(asked.address, { cause: error });
    case GRPC.permission:
    case GRPC.unauthenticated:
      return new ServerRefused({ ...asked, reason: 'credentials' }, { cause: error });
    default:
      return error;
  }
}

/** The gRPC status code of an error, or of its cause. */
export function grpcCode(error: unknown): number | undefined {
  return grpcErrorIn(error)?.code;
}

/** What the server said about it. */
export function grpcDetails(error: unknown): string {
  return grpcErrorIn(error)?.details ?? '';
}

function grpcErrorIn(
  error: unknown,
): { readonly code: number; readonly details: string } | undefined {
  if (isGrpcServiceError(error)) return error;
  return error instanceof Error && error.cause !== undefined ? grpcErrorIn(error.cause) : undefined;
}

/**
 * Whether a call came to its deadline. The server may end it a moment before the client does: then it
 * is "cancelled", in words that differ from those of a cancel on this side.
 */
export function isDeadline(error: unknown): boolean {
  const code = grpcCode(error);
  return (
    code === GRPC.deadline || (code === GRPC.cancelled && grpcDetails(error) === 'Call cancelled')
  );
}

export function isInvalidArgument(error: unknown): boolean {
  return grpcCode(error) === GRPC.invalidArgument;
}

/** Runs a call of the Temporal client and gives its errors their typed form. */
export async function typed<T>(asked: Asked, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toClientError(error, asked);
  }
}
