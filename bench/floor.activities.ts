/** The same work as our agent's: a completion that asks for one call, and a tool that returns bytes. */
export const floorActivities = {
  complete: async (step: number) => turn(step),
  completeByValue: async (step: number, _messages: readonly unknown[]) => turn(step),
  callTool: async (input: { readonly n: number }, bytes: number) =>
    `${input.n} ${'x'.repeat(bytes)}`,
};

export type FloorActivities = typeof floorActivities;

function turn(step: number) {
  return { text: `Step ${step}.`, tool: 'work', input: { n: step } };
}
