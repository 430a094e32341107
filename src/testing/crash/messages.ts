import type { Json } from '../../core/json.ts';
import type { EffectClass, KillPoint } from './kill-points.ts';

/** What the driver and the worker processes say to each other. */

export interface Serve {
  readonly kind: 'serve';
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly dataDirectory: string;
  readonly workflowBundlePath: string | undefined;
  readonly heartbeatTimeoutMs: number;
  readonly handOverEvents: number | undefined;
}

export type ToWorker = Serve | { readonly kind: 'go'; readonly n: number };

/** Something that an attempt has come to. It goes on when the driver says so. */
export interface Reached {
  readonly kind: 'reached';
  readonly n: number;
  readonly conversation: string;
  /** The activity's id: `3.2.model`, `3.2.0#2`. */
  readonly activity: string;
  readonly point?: KillPoint;
  readonly phase?: 'begin' | 'end';
  readonly effect?: EffectClass;
  readonly key?: string;
  /** Of the tool's `execute`. */
  readonly execution?: 'begun' | 'done' | 'threw';
  /** What the tool's `reconcile` answered. */
  readonly reconciled?: string;
  /** Keys of the calls about which a person will be asked. */
  readonly asks?: readonly string[];
  /** The completion has no calls: the turn ends. */
  readonly ends?: boolean;
}

export type FromWorker =
  | {
      readonly kind: 'loaded';
      readonly effects: readonly EffectClass[];
      readonly asks: boolean;
    }
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly message: string }
  | Reached;

/** What a worker process is started with. */
export interface WorkerArguments {
  /** URL of the module that has the configuration. */
  readonly config: string;
  /** Given to the module's default export, where that is a function. */
  readonly options: Json;
}
