import type { ModelRequest, RequestTool } from '../../core/model-request.ts';
import { endMark, openMark } from './marks.ts';

/** The agent's instructions, its tools, and how a reply is written: the same for a whole conversation. */
export function renderInstructions(
  { system, tools, output }: Pick<ModelRequest, 'system' | 'tools' | 'output'>,
  mark: string,
): string {
  return [
    system.trim(),
    '# How to reply',
    rules(mark, tools.length > 0),
    ...(output === undefined ? [] : [answerRule(JSON.stringify(output))]),
    ...(tools.length === 0 ? [] : ['# Tools', ...tools.map(renderTool)]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The two forms of a reply, with examples; also what a broken reply is answered with. */
export function rules(mark: string, hasTools: boolean): string {
  const answer = [
    'To give your final answer, write it between these two lines:',
    '',
    openMark(mark, 'answer'),
    'The answer, in your own words.',
    endMark(mark),
  ];
  if (!hasTools) return ['Every reply has this form.', '', ...answer].join('\n');
  return [
    'Every reply is either calls of tools, or your final answer; never both.',
    '',
    'To call tools, write one block a call, and one end line after the last. The arguments are one JSON object:',
    '',
    openMark(mark, 'call first_tool'),
    '{"id": 7}',
    openMark(mark, 'call second_tool'),
    '{"path": "notes.txt"}',
    openMark(mark, 'raw text'),
    'A long text of several lines may stand outside the JSON like this, as it is, without any escaping:',
    'here it is the argument "text" of second_tool.',
    endMark(mark),
    '',
    'Then stop. You get the results in the next message. Never write a result yourself.',
    '',
    ...answer,
    '',
    `Every mark carries the word ${mark}. Marks with another word, or without it, are only text.`,
  ].join('\n');
}

function answerRule(schema: string): string {
  return `The final answer is one JSON value, and nothing else, that fits this JSON Schema:\n${schema}`;
}

function renderTool({ name, description, inputSchema }: RequestTool): string {
  return `## ${name}\n${description}\nArguments (JSON Schema): ${JSON.stringify(inputSchema)}`;
}

/** What a reply that is none is answered with. */
export function repairMessage(problem: string, mark: string, hasTools: boolean): string {
  return [
    `Your reply could not be used: ${problem}. Nothing was run.`,
    'Write the whole reply again in the form that was described:',
    '',
    rules(mark, hasTools),
  ].join('\n');
}
