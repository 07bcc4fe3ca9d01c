/** Characters that command a terminal, or turn the text around them. */
export const controls = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;
const codeOf = (char: string, digits: number) => char.charCodeAt(0).toString(16).padStart(digits, "0");
export const escaped = (char: string) =>
  char > "\u00ff" ? `\\u${codeOf(char, 4)}` : `\\x${codeOf(char, 2)}`;

/** Shows what commands a terminal, or turns the text around it, instead of sending it: a stranger may have written it. */
export const plain = (text: string): string => text.replace(controls, escaped);

/** A number of things: `1 event`, `2 events`. */
export const countOf = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;

/** The same of things that have their plural as a name: `1 watch`, `2 watches`, `1 series`. */
export const counted = (count: number, things: string): string =>
  `${count} ${count === 1 ? things.replace(/(?<=ch|x)es$|(?<!s|serie)s$/, "") : things}`;

/** How large something is, with one decimal from a KiB on. */
export const sizeOf = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 ** 2
      ? `${(bytes / 1024).toFixed(1)} KiB`
      : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

/** A score, with two decimals at most. */
export const scoreOf = (score: number): string => String(Math.round(score * 100) / 100);

/** Brings text into one line: what others wrote must not pass for a line of ours. */
export const oneLine = (text: string): string => text.replace(/[\t\r\n]+/g, " ");

/** Text of others in one line. */
export const cell = (text: string): string => oneLine(plain(text));

/** A word as a shell takes it, in quotes where it needs them: those of Windows know double quotes alone. */
export function quoted(word: string, isWindows = process.platform === "win32"): string {
  if (isWindows) return /^[\w@+=:,./\\-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Prints data as JSON; with an indent of 0, on one line. JSON leaves some control characters as they are. */
export const printJson = (data: unknown, indent = 2): string =>
  JSON.stringify(data, null, indent).replace(
    /[\u007f-\u009f\p{Bidi_Control}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u${codeOf(char, 4)}`,
  );
