/** `perdure`: define agents and tools. */
export { defineAgent } from './tools/define-agent.ts';
export { defineTool } from './tools/define-tool.ts';
export { defineConfig } from './define-config.ts';
export { DefinitionError } from './tools/definition-error.ts';
export { spawnTool } from './tools/spawn.ts';
export { ToolError, toolOutput } from './tools/tool.ts';
export type { ModelQueue, PerdureConfig, WorkerSettings, WorkerTuning } from './define-config.ts';
export type { DepsSource, OpenedDeps } from './deps.ts';
export type { Agent, InstructionsInfo, Policy, PolicyAnswer, PolicyCall } from './tools/agent.ts';
export type {
  CompactionAnswer,
  CompactionInfo,
  CompactionOptions,
  OnCompact,
} from './tools/compaction-options.ts';
export type { AgentDefinition } from './tools/define-agent.ts';
export type { InputSchema, ToolDefinition } from './tools/define-tool.ts';
export type { DepsOfAgents, DepsOfTools, ToolItem } from './tools/deps-of.ts';
export type { AnySchema, OutputOf } from './tools/schema/freeze-schema.ts';
export type { StandardSchema } from './tools/schema/standard-schema.ts';
export type {
  ApprovalOptions,
  CallInfo,
  ReconcileAnswer,
  RetryOptions,
  Tool,
  ToolContext,
  ToolLog,
  ToolOutput,
} from './tools/tool.ts';
export type { SpawnOptions, SpawnResult } from './tools/spawn.ts';
export type { Model } from './models/model.ts';
export type { Content, Part } from './core/content.ts';
export type { Duration } from './core/duration.ts';
export type { Effect, EffectState } from './core/effect.ts';
export type { Json, JsonObject } from './core/json.ts';
export type { Limits, OnLimit } from './core/limits.ts';
export type { Operation } from './core/state-patch.ts';
export type { Usage } from './core/usage.ts';
export type { Who } from './core/who.ts';
export { BlobMissing, type BlobStore } from './blobs/blob-store.ts';
export { type BlobStoreSettings, createBlobStore } from './blobs/create-blob-store.ts';
export { fileBlobStore, type FileBlobStoreOptions } from './blobs/file.ts';
export { postgresBlobStore, type PostgresBlobStoreOptions } from './blobs/postgres.ts';
export { s3BlobStore, type S3BlobStoreOptions } from './blobs/s3.ts';
export { createEventSink, type EventSinkSettings } from './streams/create-event-sink.ts';
export type { EventSink, PublishedEvent } from './streams/event-sink.ts';
export { fileEventSink, type FileEventSinkOptions } from './streams/file.ts';
export { noEventSink } from './streams/none.ts';
export { redisEventSink, type RedisEventSinkOptions } from './streams/redis.ts';
export type { StreamEvent } from './core/event.ts';
