import type { ModelRequest } from '../core/model-request.ts';

/** The cheapest completion: it shows whether key and model are taken. */
export function smallestRequest(): ModelRequest {
  return {
    conversationId: 'check',
    system: '',
    tools: [],
    hostedTools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    maxOutputTokens: 16,
    options: {},
  };
}
