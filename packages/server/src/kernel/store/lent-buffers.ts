// To make a buffer for each part of a file that is sent would have the garbage collector go through all memory several times for each
// video, which takes as long as all else together.

/** Fewer and larger reads take less time. */
export const lentBytes = 512 * 1024;
/** More wait only where many files were sent at once. */
const keptAtMost = 16;

const kept: Buffer[] = [];
/** What is lent, by the memory that all parts of it share. */
const lent = new WeakMap<ArrayBufferLike, Buffer>();

/** A buffer that `giveBack` takes. Who does not give it back leaves it to the garbage collector. */
export function lend(): Buffer {
  const buffer = kept.pop() ?? Buffer.allocUnsafeSlow(lentBytes);
  lent.set(buffer.buffer, buffer);
  return buffer;
}

/** Gives a buffer back of which this is a part, if it is lent. Nobody may look at it any more: its bytes will be others. */
export function giveBack({ buffer: memory }: Uint8Array): void {
  const buffer = lent.get(memory);
  if (buffer === undefined || kept.length >= keptAtMost) return;
  lent.delete(memory);
  kept.push(buffer);
}
