/**
 * Makes one-line changes in our own code, a sample drawn by a seed, and sees whether the related tests catch each. Works
 * in copies of the checkout, as many at a time as there are cores.
 *
 *   npm run prove -- mutations [--count=100] [--seed=1] [--packages=core,server,client,cli] [--at=reports.sql.ts:27,kernel/reach/]
 */
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Change, changesOf } from "./changes.ts";
import { testsOf } from "./related.ts";
import { compiles } from "./types.ts";
import { Vitest, broken } from "./vitest.ts";
import { isShort } from "../../scripts/short.ts";

const root = join(import.meta.dirname, "../..");
/** Of a hundred changes so many are to be caught. */
const aim = 0.95;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: isShort ? "1" : "100" },
    seed: { type: "string", default: "1" },
    packages: { type: "string", default: isShort ? "core" : "core,server,client,cli" },
    /** Pieces of paths, or paths with a line: only what stands there. */
    at: { type: "string", default: "" },
  },
});

/** What is made by a program, holds words alone, is itself for tests, or runs in these only once it is built. */
const isLeftOut = (file: string) =>
  /\.test\.ts$|\/(testing|generated|fixtures)\/|\/(style|scripts|start|starters|scenes|seeds|grammar)\.ts$|\/src\/grammar\//.test(
    file,
  );

/** Draws the same numbers for the same seed, from 0 up to 1. */
function drawing(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Changes in a random order, each as likely as any other. */
function* inRandomOrder(changes: readonly Change[], draw: () => number): Generator<Change> {
  const left = [...changes];
  while (left.length > 0) yield* left.splice(Math.floor(draw() * left.length), 1);
}

/** The line of a change, before and after. */
function diffOf(source: string, { start, end, text }: Change): string {
  const from = source.lastIndexOf("\n", start - 1) + 1;
  const to = source.indexOf("\n", end) === -1 ? source.length : source.indexOf("\n", end);
  const mark = (lines: string, sign: string) => lines.replace(/^/gm, `    ${sign} `);
  return `${mark(source.slice(from, to), "-")}\n${mark(source.slice(from, start) + text + source.slice(end, to), "+")}`;
}

const lineOf = (source: string, { start }: Change) => source.slice(0, start).split("\n").length;

/** A copy whose packages know each other's copies, and everything else where it is. */
function copyCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), "promptreg-mutations-"));
  const left = [".git", "node_modules", "prove", ".promptreg"].map((name) => join(root, name));
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true, filter: (path) => !left.includes(path) });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

const places = values.at.split(",").map((place) => place.split(":"));
const packages = values.packages.split(",");
const files = packages
  .flatMap((name) => globSync(`packages/${name}/src/**/*.ts`, { cwd: root }))
  .filter((file) => !isLeftOut(file) && places.some(([piece = ""]) => file.includes(piece)));
const sources = new Map(files.sort().map((file) => [file, readFileSync(join(root, file), "utf8")]));
const changes = [...sources].flatMap(([file, source]) =>
  changesOf(file, source).filter((change) =>
    places.some(
      ([piece = "", line]) =>
        file.includes(piece) && (line === undefined || lineOf(source, change) === Number(line)),
    ),
  ),
);
const wanted = Number(values.count);
console.log(
  `${changes.length} changes are possible in ${files.length} files; ${wanted} of them, by seed ${values.seed}:`,
);

const tally = { caught: 0, hung: 0, survived: 0, refused: 0 };
const drawn = inRandomOrder(changes, drawing(Number(values.seed)));
const copies: string[] = [];
process.on("exit", () => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

/** The next change that fits its types. */
function next(): { change: Change; source: string; changed: string } | undefined {
  // A loop would end what draws at its return.
  for (let one = drawn.next(); !one.done; one = drawn.next()) {
    const change = one.value;
    const source = sources.get(change.file) ?? "";
    const changed = source.slice(0, change.start) + change.text + source.slice(change.end);
    if (compiles(join(root, change.file), changed)) return { change, source, changed };
    tally.refused += 1;
  }
  return undefined;
}

let begun = 0;
/** Tries one change after the other in a copy of its own. */
async function work(): Promise<void> {
  const copy = copyCheckout();
  copies.push(copy);
  const vitest = new Vitest(copy);
  while (begun < wanted) {
    begun += 1;
    const one = next();
    if (!one) return;
    const { change, source, changed } = one;
    const startedMs = performance.now();
    const outcome = await vitest.outcomeOf(change.file, testsOf(change.file), {
      change: () => writeFileSync(join(copy, change.file), changed),
      restore: () => writeFileSync(join(copy, change.file), source),
    });
    const isCaught = outcome !== "survived";
    tally[isCaught ? "caught" : "survived"] += 1;
    if (outcome === "hung") tally.hung += 1;
    const place = `${change.file}:${lineOf(source, change)}`;
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    console.log(`${outcome.padEnd(8)} ${place}  ${change.kind}  (${seconds} s)`);
    if (!isCaught) console.log(diffOf(source, change));
  }
}

await Promise.all(Array.from({ length: Math.min(wanted, availableParallelism()) }, work));

const total = tally.caught + tally.survived;
console.log(
  `${tally.caught} of ${total} caught, ${tally.hung} of them by the time limit; ${tally.refused} more were refused by the types.`,
);
for (const file of broken) console.log(`Left out, since it fails without a change: ${file}`);
const isEnough = tally.caught >= aim * total || isShort;
process.exit(isEnough && broken.size === 0 ? 0 : 1);
