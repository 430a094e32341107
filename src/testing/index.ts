/**
 * `perdure/testing`: models that play a script, the contract that every model adapter must keep, and
 * a test that kills workers under your own agents.
 */
export { crashTest } from './crash-test.ts';
export type { CrashConversation, CrashTestOptions } from './crash/crash-options.ts';
export type { CrashReport, Hits, Quantiles } from './crash/crash-report.ts';
export type { EffectClass, KillPoint, KillTarget } from './crash/kill-points.ts';
export type { Answer } from './crash/person.ts';
export type { Interrupted } from './crash/resume-times.ts';
export {
  scripted,
  toolCall,
  type Script,
  type ScriptedCall,
  type ScriptedOptions,
  type ScriptedStep,
  type ScriptedTurn,
} from '../models/scripted.ts';
export {
  anthropicWire,
  followScript,
  jsonReply,
  type ModelContract,
  modelContract,
  type ModelWire,
  openaiWire,
  responsesWire,
  sse,
  type WireCall,
  type WireError,
  type WireReply,
  type WireRequest,
  type WireTurn,
  type WireUsage,
} from '../models/contract/index.ts';
