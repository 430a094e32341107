/** `perdure/workflow`: safe in Temporal's sandbox; run a conversation inside your own workflow. */
export { conversation } from './conversation.ts';
export {
  approvalsQuery,
  approveSignal,
  closeSignal,
  decideUpdate,
  denySignal,
  entriesQuery,
  messageSignal,
  revokeSignal,
  revokeUpdate,
  sendUpdate,
  specQuery,
  stateQuery,
  statusQuery,
  stopSignal,
  summaryQuery,
} from './messages.ts';
export type { PageRequest, SpecAnswer, StateAnswer } from './messages.ts';
export type { Start } from '../core/start.ts';
export type { ConversationResult } from '../core/status.ts';
