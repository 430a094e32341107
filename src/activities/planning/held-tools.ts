import type { Spec, ToolSpec } from '../../core/spec.ts';

/** What a conversation would have to be granted before it may use the tool. */
export function missingCapabilities(tool: ToolSpec, spec: Spec): readonly string[] {
  return tool.capabilities.filter((capability) => !spec.capabilities.includes(capability));
}

/** The tools that a conversation may use, in the spec's order: what models are shown. */
export function heldTools(spec: Spec): readonly ToolSpec[] {
  return spec.tools.filter((tool) => missingCapabilities(tool, spec).length === 0);
}
