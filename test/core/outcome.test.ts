import { describe, expect, test } from 'vitest';
import { CATEGORIES, outcomeText } from '../../src/core/outcome.ts';

const text = (outcome: (typeof CATEGORIES)[number], effect: 'none' | 'happened' | 'unknown') =>
  outcomeText({ outcome, effect, message: '<message>' });

describe('the text form of a result', () => {
  test('names category, meaning, message and effect, in fixed words', () => {
    const errors = CATEGORIES.filter((category) => category !== 'ok');
    expect(Object.fromEntries(errors.map((category) => [category, text(category, 'none')])))
      .toMatchInlineSnapshot(`
      {
        "approval_expired": "[approval_expired] Nobody decided about the call in time; it did not run.
      <message>",
        "approval_failed": "[approval_failed] It could not be decided whether the call may run; it did not run.
      <message>",
        "cancelled": "[cancelled] The call was cancelled.
      <message>
      It had no effect.",
        "denied": "[denied] The call was denied; it did not run.
      <message>",
        "invalid_input": "[invalid_input] The arguments do not fit the tool; it did not run. Correct them and call again.
      <message>",
        "invalid_output": "[invalid_output] The tool returned something that cannot be passed on.
      <message>
      It had no effect.",
        "outcome_unknown": "[outcome_unknown] The attempt was lost before the tool reported.
      <message>
      It had no effect.",
        "state_conflict": "[state_conflict] The change of the shared state did not apply; the state is unchanged.
      <message>
      It had no effect.",
        "timeout": "[timeout] The call took too long.
      <message>
      It had no effect.",
        "tool_error": "[tool_error] The tool reported an error.
      <message>
      It had no effect.",
        "tool_failed": "[tool_failed] The tool failed unexpectedly.
      <message>
      It had no effect.",
        "truncated": "[truncated] The completion was cut off before the call was complete; nothing ran. Call again.
      <message>",
        "unavailable": "[unavailable] This conversation may not use the tool.
      <message>",
        "unknown_tool": "[unknown_tool] There is no such tool.
      <message>",
      }
    `);
  });

  test('says in plain words what is known of the effect', () => {
    expect(text('tool_failed', 'none')).toMatch(/\nIt had no effect\.$/);
    expect(text('invalid_output', 'happened')).toMatch(
      /\nIts effect happened all the same; do not repeat it\.$/,
    );
    for (const category of ['tool_failed', 'timeout', 'cancelled', 'outcome_unknown'] as const) {
      expect(text(category, 'unknown')).toMatch(
        /\nIt is not known whether its effect happened; check before you repeat it\.$/,
      );
    }
  });

  test('of a call that never began does not speak of an effect, unless there is one', () => {
    expect(text('denied', 'none')).not.toContain('effect');
    expect(text('invalid_input', 'unknown')).toContain('check before you repeat it');
  });

  test('leaves no empty line where there is no message', () => {
    for (const category of CATEGORIES) {
      expect(outcomeText({ outcome: category, effect: 'unknown', message: '' })).not.toMatch(
        /\n\n/,
      );
    }
  });

  test('of ok is the message itself', () => {
    expect(text('ok', 'happened')).toBe('<message>');
  });
});
