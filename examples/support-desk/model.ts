import { anthropic, scripted, toolCall, type Model } from 'perdure/models';

const ORDER = 'A-1017';
const AMOUNT_CENTS = 12_900;

/** Claude when there is a key, otherwise a script that plays one refund from start to end. */
export function supportModel(): Model {
  if (process.env['ANTHROPIC_API_KEY']) return anthropic('claude-sonnet-5-5');
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
