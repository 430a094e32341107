// A process of its own: publishes numbered texts in small bursts through a sink made from settings.
import { createEventSink } from '../../src/streams/create-event-sink.ts';

const [settings, conversation, name, count] = process.argv.slice(2);
if (settings === undefined || conversation === undefined || name === undefined) {
  throw new Error('expected: publish-events.ts <settings as JSON> <conversation> <name> <count>');
}
const sink = createEventSink(JSON.parse(settings));
for (let n = 0; n < Number(count); n++) {
  sink.publish(conversation, [{ type: 'text', turn: 1, step: 1, text: `${name} ${n}` }]);
  if (n % 10 === 9) await sink.flush();
  if (n === 10) process.send?.('publishing');
}
await sink.close();
if (sink.failures > 0) throw new Error(`${sink.failures} events could not be published`);
process.disconnect();
