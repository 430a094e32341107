import type { Agent } from './agent.ts';
import type { Tool } from './tool.ts';

/** A tool, or a set of them (what an MCP server offers, a team's standard tools). */
export type ToolItem = Tool<never> | readonly ToolItem[];

/** A list whose type says no more than that it holds tools needs what nobody can name: `never`. */
type ToolIn<Item> = [ToolItem] extends [Item]
  ? Tool<never>
  : Item extends Tool<never>
    ? Item
    : Item extends readonly (infer Member)[]
      ? ToolIn<Member>
      : never;

/** Turns a union of needs into what satisfies all of them; `{}` when there are none. */
type All<Needs> = [Needs] extends [never]
  ? {}
  : (Needs extends unknown ? (need: Needs) => void : never) extends (all: infer Every) => void
    ? Every
    : never;

type NeedOf<Item> = Item extends Tool<infer Deps> ? { readonly deps: Deps } : never;

/** The dependencies that all of these tools need together. */
export type DepsOfTools<Items> = Unboxed<All<NeedOf<ToolIn<Items>>>>;

type Unboxed<Boxed> = Boxed extends { readonly deps: infer Deps } ? Deps : {};

/** The dependencies that all tools of these agents need together. */
export type DepsOfAgents<Agents extends readonly Agent<never>[]> = Unboxed<
  All<Agents[number] extends infer One ? NeedOfAgent<One> : never>
>;

type NeedOfAgent<One> = One extends Agent<infer Deps> ? { readonly deps: Deps } : never;
