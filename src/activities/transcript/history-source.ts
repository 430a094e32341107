import { type ConnectionLike, isGrpcServiceError } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import type { RunLocation } from './transcript-reader.ts';

export type HistoryEvent = NonNullable<History['events']>[number];

/** Pages of a run's recorded events. A run that the server does not know (any more) has none. */
export interface HistorySource {
  newestFirst(run: RunLocation): AsyncIterable<readonly HistoryEvent[]>;
  oldestFirst(run: RunLocation): AsyncIterable<readonly HistoryEvent[]>;
}

/** Most gaps are a step or two: a small first page answers them with little to carry and decode. */
const FIRST_PAGE = 24;
const NEXT_PAGE = 256;
/** Milliseconds for one page; a server that takes longer is not there. */
const PAGE_DEADLINE_MS = 15_000;

/** The server's own pages. Needs no worker, no replay and no query. Throws what the connection throws. */
export function createHistorySource(
  connection: Pick<ConnectionLike, 'workflowService' | 'withDeadline'>,
): HistorySource {
  const { workflowService } = connection;
  return {
    newestFirst: (run) =>
      pages(connection, run, (request) =>
        workflowService.getWorkflowExecutionHistoryReverse(request),
      ),
    oldestFirst: (run) =>
      pages(connection, run, (request) => workflowService.getWorkflowExecutionHistory(request)),
  };
}

interface PageRequest {
  readonly namespace: string;
  readonly execution: { readonly workflowId: string; readonly runId: string };
  readonly maximumPageSize: number;
  readonly nextPageToken: Uint8Array | null;
}

interface PageResponse {
  readonly history?: History | null;
  readonly nextPageToken?: Uint8Array | null;
}

const NOT_FOUND = 5;
const RESOURCE_EXHAUSTED = 8;

async function* pages(
  connection: Pick<ConnectionLike, 'withDeadline'>,
  { namespace, workflowId, runId }: RunLocation,
  readPage: (request: PageRequest) => Promise<PageResponse>,
): AsyncGenerator<readonly HistoryEvent[]> {
  let token: Uint8Array | null = null;
  let maximumPageSize = FIRST_PAGE;
  for (;;) {
    const nextPageToken: Uint8Array | null = token;
    let page: PageResponse;
    try {
      page = await connection.withDeadline(Date.now() + PAGE_DEADLINE_MS, () =>
        readPage({
          namespace,
          execution: { workflowId, runId },
          maximumPageSize,
          nextPageToken,
        }),
      );
    } catch (error) {
      if (!isGrpcServiceError(error)) throw error;
      if ((error.code as number) === NOT_FOUND) return;
      const isTooLarge =
        (error.code as number) === RESOURCE_EXHAUSTED && /larger than max/.test(error.details);
      if (!isTooLarge || maximumPageSize === 1) throw error;
      // A client of somebody else's with its library's limit: large events come in smaller pages.
      maximumPageSize = Math.ceil(maximumPageSize / 4);
      continue;
    }
    yield page.history?.events ?? [];
    token = page.nextPageToken?.length ? page.nextPageToken : null;
    if (token === null) return;
    maximumPageSize = NEXT_PAGE;
  }
}
