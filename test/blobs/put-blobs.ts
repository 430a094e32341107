// A process of its own: puts blobs into a file store and tells the store's id after the first.
import { fileBlobStore } from '../../src/blobs/file.ts';

const [directory, conversation, count] = process.argv.slice(2);
if (directory === undefined || conversation === undefined || count === undefined) {
  throw new Error('expected: put-blobs.ts <directory> <conversation> <count>');
}
const store = fileBlobStore({ directory });
for (let n = 0; n < Number(count); n++) {
  // The same content in every process, in pieces large enough for a kill to fall inside one.
  await store.put('shared', Buffer.alloc(200_000, `shared ${n}`));
  await store.put(conversation, Buffer.alloc(1000, `${conversation} ${n}`));
  if (n === 0) process.send?.({ id: await store.id() });
}
process.disconnect();
