/**
 * What it costs to look for near duplicates: 500 items of an import against 5,000 prompts and each other, of 2,000 characters each, and
 * the same by a plain loop over all pairs, measured on a fiftieth of them. Then hostile texts.
 */
import { NearIndex } from "../src/imports/text/near.ts";
import { jaccard, shinglesOf } from "../src/imports/text/shingles.ts";
import { isShort } from "../../../scripts/short.ts";

const [items, prompts, characters] = isShort ? [50, 500, 2_000] : [500, 5_000, 2_000];
/** What the first may take. */
const mostMs = 2_000;

let state = 1;
const random = (below: number) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const vocabulary = Array.from({ length: 3_000 }, () =>
  Array.from({ length: 3 + random(7) }, () => String.fromCharCode(97 + random(26))).join(""),
);
function textOf(): string {
  let text = "";
  while (text.length < characters) text += `${vocabulary[random(vocabulary.length)]} `;
  return text;
}
/** The same with one word in fifty changed: near. */
const edited = (text: string) =>
  text
    .split(" ")
    .map((word) => (random(50) === 0 ? "other" : word))
    .join(" ");

const own = Array.from({ length: prompts }, textOf);
const found = Array.from({ length: items }, (_, nth) =>
  nth % 5 === 0 ? edited(own[nth] as string) : textOf(),
);

function measure(theirs: readonly string[], ours: readonly string[]) {
  const begun = performance.now();
  const index = new NearIndex();
  let pairs = 0;
  for (const [nth, text] of theirs.entries()) pairs += index.add(String(nth), text).length;
  for (const text of ours) pairs += index.find(text).length;
  return { pairs, ms: Math.round(performance.now() - begun) };
}

const { pairs, ms } = measure(found, own);
const begun = performance.now();
const some = own.slice(0, prompts / 50).map(shinglesOf);
for (const text of found.map(shinglesOf)) for (const one of some) jaccard(text, one);
const plainMs = Math.round((performance.now() - begun) * 50);
console.log(`${items} items against ${prompts} prompts: ${ms} ms, ${pairs} pairs found of ${items / 5}`);
console.log(`every pair in a plain loop: ${plainMs} ms, ${(plainMs / ms).toFixed(1)} times as long`);

const long = 256 * 1024;
const filled = (piece: () => string) => {
  let text = "";
  while (text.length < long) text += piece();
  return text;
};
const hostile: Record<string, () => string> = {
  "one letter": () => "a".repeat(long),
  "Chinese without spaces": () => filled(() => String.fromCharCode(0x4e00 + random(20_000))),
  "random letters": () => filled(() => String.fromCharCode(97 + random(26))),
  "random words of one letter": () => filled(() => `${String.fromCharCode(97 + random(26))} `),
};
for (const [name, make] of Object.entries(hostile)) {
  const text = make();
  const all = (count: number) => Array.from({ length: count / 10 }, (_, nth) => `${nth} ${text}`);
  const hostileMs = measure(all(items), all(prompts)).ms;
  console.log(`${items / 10} against ${prompts / 10} of 256 KiB, ${name}: ${hostileMs} ms`);
}
if (ms > mostMs && !isShort) throw new Error(`It took ${ms} ms. The limit is ${mostMs} ms.`);
