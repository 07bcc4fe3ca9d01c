const alphabet = Buffer.from(
  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
  "latin1",
);
const lineBytes = 52;
const lineFeed = 10;

/**
 * Writes bytes as the lines of a binary patch of Git. A line has a letter for its number of bytes (`A` to `Z` for 1 to 26, `a`
 * to `z` for 27 to 52), and five characters for every four bytes. The last four are padded with zeros.
 */
export function base85Lines(bytes: Uint8Array): string {
  const words = Math.ceil(bytes.length / 4);
  const lines = Math.ceil(bytes.length / lineBytes);
  const padded = Buffer.alloc(words * 4);
  padded.set(bytes);
  const text = Buffer.alloc(words * 5 + lines * 2);
  let at = 0;
  for (let start = 0; start < bytes.length; start += lineBytes) {
    const length = Math.min(lineBytes, bytes.length - start);
    text[at++] = length <= 26 ? length + 64 : length + 70;
    for (let offset = start; offset < start + length; offset += 4) {
      let word = padded.readUInt32BE(offset);
      for (let digit = 4; digit >= 0; digit -= 1) {
        text[at + digit] = alphabet[word % 85] as number;
        word = Math.floor(word / 85);
      }
      at += 5;
    }
    text[at++] = lineFeed;
  }
  return text.toString("latin1");
}
