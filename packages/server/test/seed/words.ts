import type { Draw } from "./draw.ts";

/** Words that English stemming leaves as they are, so that a search document can be written down without it. */
export const words = (
  "agent audit batch blog board book bot brand brief card chart chat check claim cloud code cost craft data debug " +
  "deck diff draft email fact field film form game goal graph grid help hook ink input job label law learn lesson " +
  "log map math memo menu note plan poem prompt quiz report review rule script search sheet shell sql style task team"
).split(" ");

/** Of few words many are made by a number behind them; the first are in most texts, the last in few. */
export const wordsOf = (draw: Draw, count: number): string[] =>
  Array.from({ length: count }, () => numbered(draw.skewed(2_000), ""));

/** Texts of 30 to 750 words, half of them under 70, with a variable. Their rarest words stand in a few of them only. */
export const textsOf = (draw: Draw, count: number): string[] =>
  Array.from({ length: count }, () => {
    const length = Math.floor(30 * 25 ** (draw.fraction() ** 2));
    const some = Array.from(
      { length },
      (_, nth) => textWord(draw.skewed(100_000)) + (nth % 12 === 11 ? ".\n" : ""),
    );
    return `Draft {{topic}}: ${some.join(" ")}.\n`;
  });

/** A word of texts by its rank. */
export const textWord = (rank: number): string => numbered(rank, "");

/** The name of a tag by its rank. */
export const tagName = (rank: number): string => numbered(rank, "-");

const numbered = (rank: number, sign: string): string =>
  rank < words.length ? words[rank]! : `${words[rank % words.length]}${sign}${rank}`;

/** The text form of a tsvector: every word with the places where it stands, and their weights; for our words only. */
export function searchDocument(parts: readonly (readonly [weight: "A" | "B" | "C" | "D", text: string])[]) {
  const places = new Map<string, string[]>();
  let place = 0;
  for (const [weight, text] of parts) {
    for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
      place += 1;
      const known = places.get(word);
      if (known) known.push(`${place}${weight}`);
      else places.set(word, [`${place}${weight}`]);
    }
  }
  return [...places].map(([word, at]) => `'${word}':${at.join(",")}`).join(" ");
}
