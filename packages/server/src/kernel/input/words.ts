/** The words of a text, in one form for all ways to write them, each between spaces. */
export const wordsOf = (text: string): string => {
  const folded = text
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, "")
    .toUpperCase()
    .toLowerCase();
  return ` ${folded.replace(/[^\p{L}\p{M}\p{N}]+/gu, " ").trim()} `;
};
