import type { ModelRequest } from '../core/model-request.ts';

/**
 * One id per call of a turn, new to the conversation: the model's own where it is, else one made of
 * the turn's place. Servers leave ids out, or give every turn the same.
 */
export function uniqueCallIds(
  given: readonly (string | undefined)[],
  { messages }: Pick<ModelRequest, 'messages'>,
): readonly string[] {
  const assistants = messages.filter((message) => message.role === 'assistant');
  const used = new Set(
    assistants.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'tool_call' ? [block.id] : [])),
    ),
  );
  return given.map((own, index) => {
    let id = own ?? '';
    for (let n = 0; id === '' || used.has(id); n += 1) {
      id = `call_${assistants.length + 1}_${index}${n === 0 ? '' : `_${n}`}`;
    }
    used.add(id);
    return id;
  });
}
