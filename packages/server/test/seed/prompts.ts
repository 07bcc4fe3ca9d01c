import type { PromptKind } from "@promptreg/core";
import { Draw, idOf } from "./draw.ts";
import { type Account, accountAt, ageMs, dayMs, type Registry } from "./registry.ts";
import { tagName, wordsOf } from "./words.ts";

export interface Prompt {
  index: number;
  id: string;
  owner: Account;
  slug: string;
  kind: PromptKind;
  title: string;
  summary: string | null;
  tags: string[];
  license: string | null;
  visibility: "public" | "unlisted" | "private";
  rating: "general" | "sensitive" | "mature";
  /** How many there are; none of a draft. */
  versions: number;
  labels: number;
  /** Of its label `production`. */
  moves: number;
  runs: number;
  watchers: number;
  hourlyStars: number;
  hourlyInstalls: number;
  createdMs: number;
  publishedMs: number;
  /** When the newest version was committed; labels moved after that. */
  committedMs: number;
  updatedMs: number;
  isDeleted: boolean;
}

/** Those of a registry that is small enough to keep them, since two dozen tables ask for all of them. */
const drawn = new WeakMap<Registry, Prompt[]>();
const mostDrawn = 50_000;

export function promptAt(registry: Registry, index: number): Prompt {
  if (registry.size.prompts > mostDrawn) return drawPrompt(registry, index);
  let prompts = drawn.get(registry);
  if (!prompts) drawn.set(registry, (prompts = []));
  return (prompts[index] ??= drawPrompt(registry, index));
}

function drawPrompt(registry: Registry, index: number): Prompt {
  const { size, number, untilMs, owners } = registry;
  const draw = new Draw(number, 1, index);
  const isLarge = index === 0;
  const createdMs = untilMs - ageMs + Math.floor((index / size.prompts) * ageMs * 0.999);
  const versions = isLarge ? size.one.versions : versionsOf(draw, registry, index);
  const publishedMs = createdMs + (draw.happens(0.1) ? draw.below(dayMs / 2) : 0);
  // Most were never touched again, or soon after.
  const livedMs = versions < 2 && draw.happens(0.6) ? 0 : (untilMs - publishedMs) * draw.fraction() ** 2;
  const updatedMs = isLarge ? untilMs - 1_000 : publishedMs + Math.floor(livedMs);
  const hasLabel = versions > 0 && draw.happens(0.3);
  const ifPublished = (people: number) => (versions > 0 ? people : 0);
  return {
    index,
    id: idOf("prm", createdMs, index),
    // A step that shares no divisor with the number of prompts visits every one of them.
    owner: accountAt(registry, owners[(index * 7_919) % size.prompts]!),
    slug: isLarge ? "large" : `${wordsOf(draw, 2).join("-")}-${index}`,
    kind: isLarge ? "text" : draw.weighted(kinds),
    title: `${wordsOf(draw, 3).join(" ")} ${index}`,
    summary: draw.happens(0.8) ? `${wordsOf(draw, 8).join(" ")}.` : null,
    tags: [...new Set(Array.from({ length: draw.below(6) }, () => tagName(draw.skewed(5_000))))],
    license: draw.weighted(licenses),
    visibility: isLarge ? "public" : draw.weighted(visibilities),
    rating: isLarge ? "general" : draw.weighted(ratings),
    versions,
    labels: isLarge ? size.one.labels : hasLabel ? 1 : 0,
    moves: isLarge ? size.one.moves : 1 + draw.below(5),
    runs: isLarge ? size.one.runs : versions > 0 && draw.happens(0.05) ? 1 + draw.below(3) : 0,
    watchers: draw.happens(0.1) ? 1 + draw.skewed(Math.min(100, registry.accounts - 1)) : 0,
    hourlyStars: draw.happens(0.3) ? ifPublished(draw.skewed(5_000)) : 0,
    hourlyInstalls: draw.happens(0.2) ? ifPublished(draw.skewed(20_000)) : 0,
    createdMs,
    publishedMs,
    committedMs: publishedMs + Math.floor((updatedMs - publishedMs) / 2),
    updatedMs,
    isDeleted: !isLarge && draw.happens(0.02),
  };
}

/** Three on average: half of all prompts have one, one in two hundred has dozens, and two have thousands. */
function versionsOf(draw: Draw, { size: { prompts, one } }: Registry, index: number): number {
  const [first, second] = [Math.floor(prompts / 3), Math.floor((prompts * 2) / 3)];
  if (index === first || index === second) return one.versions / 2;
  const [least, most] = draw.weighted(versionCounts);
  return least + draw.below(most - least + 1);
}

const versionCounts: [[least: number, most: number], weight: number][] = [
  [[1, 1], 43.5],
  [[2, 2], 21],
  [[3, 5], 17],
  [[6, 12], 12],
  [[20, 100], 0.5],
  [[0, 0], 6],
];
const kinds: [PromptKind, number][] = [
  ["text", 40],
  ["chat", 20],
  ["skill", 12],
  ["command", 10],
  ["agent", 8],
  ["rule", 7],
  ["media", 3],
];
const licenses: [string | null, number][] = [
  ["MIT", 40],
  [null, 25],
  ["Apache-2.0", 20],
  ["CC-BY-4.0", 10],
  ["CC0-1.0", 4.8],
  ["GPL-3.0-only", 0.2],
];
const visibilities: ["public" | "unlisted" | "private", number][] = [
  ["public", 80],
  ["unlisted", 8],
  ["private", 12],
];
const ratings: ["general" | "sensitive" | "mature", number][] = [
  ["general", 92],
  ["sensitive", 6],
  ["mature", 2],
];

/** The prompt that another is a fork of: one in thirty is, and some are forked by hundreds. */
export function sourceOf(registry: Registry, { index, versions, createdMs }: Prompt): Prompt | null {
  const draw = new Draw(registry.number, 2, index);
  if (versions === 0 || !draw.happens(0.03)) return null;
  const source = promptAt(registry, draw.skewed(index));
  const isOpen = source.versions > 0 && source.visibility === "public" && source.publishedMs < createdMs;
  return isOpen && isUsable(registry, source, 1) && source.index !== index ? source : null;
}

/** Whether a version can be labelled, being not yanked; the first of several always can. */
export function isUsable({ number }: Registry, { index, versions }: Prompt, n: number): boolean {
  const share = versions === 1 ? 0.005 : n === 1 ? 0 : 0.02;
  return !new Draw(number, 3, index, n).happens(share);
}

/** The highest usable version from a number downwards; null where there is none. */
export function latestOf(registry: Registry, prompt: Prompt, from = prompt.versions): number | null {
  for (let n = from; n > 0; n--) if (isUsable(registry, prompt, n)) return n;
  return null;
}

export const versionId = (prompt: Prompt, n: number): string =>
  idOf("ver", committedMs(prompt, n), prompt.index * 16_384 + n);

export const committedMs = ({ publishedMs, committedMs, versions }: Prompt, n: number): number =>
  publishedMs + Math.floor(((committedMs - publishedMs) * (n - 1)) / Math.max(1, versions - 1));

export const labelName = (nth: number): string => (nth === 0 ? "production" : `stage-${nth}`);

/** The moves of a label in their order: never to where it is already. */
export function* movesOf(registry: Registry, prompt: Prompt, label: number) {
  const moves = label === 0 ? prompt.moves : 5;
  let from: number | null = null;
  for (let nth = 0; nth < moves; nth++) {
    const to = latestOf(registry, prompt, 1 + ((nth + label) % prompt.versions));
    if (to === null || to === from) continue;
    const atMs = prompt.committedMs + Math.floor(((prompt.updatedMs - prompt.committedMs) * nth) / moves);
    yield { from, to, atMs };
    from = to;
  }
}

export function* promptsOf(registry: Registry): Generator<Prompt> {
  for (let index = 0; index < registry.size.prompts; index++) yield promptAt(registry, index);
}
