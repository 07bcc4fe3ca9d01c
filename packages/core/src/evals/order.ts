/** Compares texts as the registry's database sorts them: by the bytes of UTF-8, which are in the order of code points. */
export function compareTexts(a: string, b: string): number {
  const [one, other] = [sortable(a), sortable(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Surrogates stand for code points above all others, and come after them here. */
const sortable = (text: string) =>
  text.replace(/[\ud800-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
  });
