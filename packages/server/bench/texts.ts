/**
 * What hostile texts cost, committed as an entry file and edited beside, against a plain one of the same size: a limit
 * of 3 times as much. Each row is one way to keep a parser busy.
 */
import { withRegistry } from "./side.ts";
import { isShort } from "../../../scripts/short.ts";

const size = 64 * 1024;
const rounds = isShort ? 1 : 15;

const random = (letters: string, length: number) =>
  Array.from({ length }, () => letters[Math.floor(Math.random() * letters.length)]).join("");
const letters = "abcdefghijklmnopqrstuvwxyz";
const someWords = Array.from({ length: 2_000 }, (_, nth) => random(letters, 3 + (nth % 8)));
const fill = (piece: () => string) => {
  let text = "";
  while (text.length < size) text += piece();
  return text.slice(0, size - 16);
};
/** As in prose, few words are most of the text. */
const plainWord = () => `${someWords[Math.floor(Math.random() ** 4 * someWords.length)]} `;

const texts: Record<string, () => string> = {
  plain: () => fill(plainWord),
  "compound words": () => fill(() => "a-1-"),
  "addresses without an end": () => fill(() => "a.b/c@d:"),
  "tags and entities": () => fill(() => "<a &a;"),
  "numbers, signs, exponents": () => fill(() => "-1e1.2+"),
  "one word": () => fill(() => "a"),
  "words of three random letters": () => fill(() => `${random(letters, 3)} `),
  "words of six random letters": () => fill(() => `${random(letters, 6)} `),
  "words that the stemmer works on": () => fill(() => `${random(letters, 3)}ationalizing `),
  "single letters": () => fill(() => `${random(letters, 1)} `),
  "combining marks": () => fill(() => "e\u0301\u0301"),
  "Chinese without spaces": () =>
    fill(() => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_000))).slice(0, size / 3),
};

await withRegistry(async ({ origin, token }) => {
  const names = Object.keys(texts);
  const costs = new Map(names.map((name) => [name, { commit: [] as number[], edit: [] as number[] }]));
  for (const nth of names.keys()) {
    const made = {
      kind: "text",
      slug: `t-${nth}`,
      title: "Text",
      files: [{ path: "PROMPT.md", content: "Text" }],
    };
    await send("POST", origin, { token, body: made });
  }
  for (let round = 0; round < rounds; round++) {
    for (const [nth, name] of names.entries()) {
      const at = `${origin}/bench/t-${nth}`;
      const content = `${round} ${texts[name]?.()}`;
      const { commit, edit } = costs.get(name)!;
      commit.push(
        await send("POST", `${at}/versions`, { token, body: { files: [{ path: "PROMPT.md", content }] } }),
      );
      edit.push(await send("PATCH", at, { token, body: { title: `Round ${round}` } }));
    }
  }
  const plain = costs.get("plain")!;
  for (const [name, { commit, edit }] of costs) {
    const cells = [`commit ${cell(commit, plain.commit)}`, `title ${cell(edit, plain.edit)}`];
    console.log([name.padEnd(32), ...cells].join("   "));
  }
});

/** Gives the milliseconds that an answer took. */
async function send(
  method: string,
  url: string,
  { token, body }: { token: string; body: object },
): Promise<number> {
  const startedAt = performance.now();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
  return performance.now() - startedAt;
}

function cell(all: number[], floor: number[]): string {
  const ratio = median(all.map((ms, round) => ms / floor[round]!));
  return `${median(all).toFixed(1).padStart(6)} ms, ratio ${ratio.toFixed(2)}`;
}

function median(all: number[]): number {
  return all.toSorted((a, b) => a - b)[all.length >> 1]!;
}
