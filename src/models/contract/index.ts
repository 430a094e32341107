export { anthropicWire } from './anthropic-wire.ts';
export { followScript } from './follow-script.ts';
export { type ModelContract, modelContract } from './model-contract.ts';
export {
  cutEvery,
  inOrder,
  type ModelServer,
  type RecordedRequest,
  type Respond,
  startModelServer,
  type WireReply,
} from './model-server.ts';
export { openaiWire } from './openai-wire.ts';
export { responsesWire } from './responses-wire.ts';
export {
  EVENT_STREAM,
  jsonReply,
  type ModelWire,
  sse,
  type WireCall,
  type WireError,
  type WireRequest,
  type WireTurn,
  type WireUsage,
} from './wire.ts';
