/** The characters of an output that a document shows. */
export const maxOutput = 12_000;

/** The beginning of a text, which does not end within a pair of surrogates. */
export function startOf(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? length - 1 : length);
}
