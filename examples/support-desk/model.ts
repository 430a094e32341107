import { anthropic, openaiCompatible, scripted, textProtocol, toolCall } from 'perdure/models';
import type { Model } from 'perdure/models';

const ORDER = 'A-1017';
const AMOUNT_CENTS = 12_900;

/**
 * Who plays the desk, as the environment says:
 * - `ANTHROPIC_API_KEY`: Claude;
 * - `SUPPORT_DESK_MODEL_URL`: the model `SUPPORT_DESK_MODEL` of any server that speaks Chat Completions,
 *   with `SUPPORT_DESK_MODEL_KEY` if it wants one; `SUPPORT_DESK_MODEL_TOOLS=text` if it knows no tools;
 * - neither: a script that plays one refund from start to end.
 */
export function supportModel(environment: NodeJS.ProcessEnv = process.env): Model {
  const { SUPPORT_DESK_MODEL_URL: baseURL, SUPPORT_DESK_MODEL: model = 'default' } = environment;
  const { SUPPORT_DESK_MODEL_KEY: apiKey, SUPPORT_DESK_MODEL_TOOLS: tools } = environment;
  if (baseURL) {
    const served = openaiCompatible({ baseURL, model, ...(apiKey ? { apiKey } : {}) });
    return tools === 'text' ? textProtocol(served) : served;
  }
  if (environment['ANTHROPIC_API_KEY']) return anthropic('claude-sonnet-5-5');
  return scripted(
    [
      ['I look up the order first.', toolCall('find_order', { orderId: ORDER })],
      [
        'The jacket was delivered and is covered. I ask for the refund.',
        toolCall('refund_order', {
          orderId: ORDER,
          amountCents: AMOUNT_CENTS,
          reason: 'rain jacket arrived with a torn zipper',
        }),
      ],
      [
        toolCall('notify_customer', {
          orderId: ORDER,
          text: 'We have refunded 129.00 for the rain jacket. The mugs are yours to keep.',
        }),
      ],
      'The customer got 129.00 back for the rain jacket of order A-1017 and has been told.',
    ],
    { id: 'scripted-support-desk', delayMs: 400 },
  );
}
