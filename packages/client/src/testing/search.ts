import type { Facets, FacetValue, Found, SearchQuery } from "@promptreg/core";
import {
  entryBytes,
  type FoundTexts,
  highlightsOf,
  likelyWords,
  queryWords,
  readTexts,
  searchWords,
  wordsOfQuery,
} from "@promptreg/core/search";
import { type Handler, NotInTestRegistry } from "./handler.ts";
import { nameWords } from "./names.ts";
import { pageOf } from "./page.ts";
import { isListed, showListed, userRef } from "./show.ts";
import {
  type Document,
  documentOf,
  english,
  matches,
  parseQuery,
  type Query,
  rankOf,
  simple,
  wantedLexemes,
} from "./text-search.ts";
import { type Account, type Caller, latestOf, type StoredPrompt, type World } from "./world.ts";

/** More matches are not all ranked by the server. */
const mostRanked = 1_000;
/** Values of a facet. */
const mostValues = 20;

/** A match: a prompt or an account, and what it is sorted by. */
type Hit = { id: string; score: number; createdAt: string } & (
  | { type: "prompt"; one: StoredPrompt }
  | { type: "user"; one: Account }
);

export const query: Handler<"search.query"> = ({ query, caller, world }) => {
  const { q, sort = "relevance" } = query;
  const words = parseQuery(queryWords(q), english);
  const hits: Hit[] = [...promptHits(world, query, words), ...userHits(world, query)];
  if (hits.length > mostRanked) throw new NotInTestRegistry(`searches with over ${mostRanked} matches`);
  const by = ({ score, createdAt }: Hit) =>
    sort === "relevance" ? score : sort === "newest" ? Date.parse(createdAt) : 0;
  const { status, json } = pageOf(
    hits.sort((a, b) => by(b) - by(a) || (a.id < b.id ? 1 : -1)),
    {
      list: ["search.query"],
      query,
      keyOf: (hit) => [by(hit), hit.id] as const,
      isAfter: (hit, [last, id]) => by(hit) < last || (by(hit) === last && hit.id < id),
    },
  );
  const items = show(json.items, wantedLexemes(words), caller);
  return { status, json: { ...json, items, facets: facetsOf(hits) } };
};

function promptHits(world: World, wanted: SearchQuery, words: Query): Hit[] {
  const { type, kind, tag = [], owner, license } = wanted;
  if (type !== undefined && type !== "prompt") return [];
  return [...world.prompts.values()].flatMap((one): Hit[] => {
    const isWanted =
      isListed(one) &&
      (kind === undefined || kind.includes(one.kind)) &&
      tag.every((name) => one.tags.includes(name)) &&
      (owner === undefined || one.owner.handle === owner) &&
      (license === undefined || one.license === license);
    const document = isWanted ? documentOfPrompt(one) : new Map();
    const { id, createdAt } = one;
    return matches(document, words)
      ? [{ type: "prompt", one, id, createdAt, score: rankOf(document, words) }]
      : [];
  });
}

const documentOfPrompt = (prompt: StoredPrompt): Document =>
  documentOf(
    [
      ["A", searchWords(prompt.title)],
      ["B", searchWords(prompt.tags.join(" "))],
      ["C", searchWords(prompt.summary ?? "")],
      ["D", searchWords(entryOf(prompt) ?? "")],
    ],
    english,
  );

/** The text of the entry file of the latest version. */
function entryOf(prompt: StoredPrompt): string | null {
  const version = latestOf(prompt)?.version;
  return version?.files.find(({ path }) => path === version.entry)?.content ?? null;
}

/** Accounts have no kind, tag, owner or license, so a filter by one leaves them out. */
function userHits({ accounts }: World, { q, type, kind, tag, owner, license }: SearchQuery): Hit[] {
  if ((type !== undefined && type !== "user") || (kind ?? tag ?? owner ?? license) !== undefined) return [];
  const words = parseQuery(nameWords(wordsOfQuery(q)), simple);
  return [...accounts.values()].flatMap((one): Hit[] => {
    const document = documentOf([["A", one.handle.replaceAll("-", " ")]], simple);
    const { id, createdAt } = one;
    return matches(document, words)
      ? [{ type: "user", one, id, createdAt, score: rankOf(document, words) }]
      : [];
  });
}

/** The items of hits, with what of them matches. */
function show(hits: readonly Hit[], stems: readonly string[], caller: Caller | null): Found[] {
  const wanted = new Set(stems);
  const reads = hits.map((hit) => readTexts(textsOf(hit), wanted));
  const likely = likelyWords(reads.flatMap((read) => Object.values(read)));
  const words = new Set(likely.filter((word) => wanted.has(english(word) ?? "")));
  return hits.map((hit, nth) => {
    const { type, score } = hit;
    const found = { type, score, highlights: highlightsOf(reads[nth] ?? {}, words) };
    const entity = hit.type === "prompt" ? showListed(hit.one, caller) : userRef(hit.one);
    return { ...found, entity } as Found;
  });
}

function textsOf(hit: Hit): FoundTexts {
  if (hit.type === "user") return { handle: hit.one.handle };
  const { title, summary } = hit.one;
  const entry = entryOf(hit.one);
  return {
    title,
    summary,
    entry: entry === null ? null : new TextEncoder().encode(entry).subarray(0, entryBytes),
  };
}

function facetsOf(hits: readonly Hit[]): Facets {
  const prompts = hits.flatMap((hit) => (hit.type === "prompt" ? [hit.one] : []));
  return {
    type: facet(hits.map(({ type }) => type)),
    kind: facet(prompts.map(({ kind }) => kind)),
    tag: facet(prompts.flatMap(({ tags }) => tags)),
    license: facet(prompts.flatMap(({ license }) => license ?? [])),
  };
}

function facet(values: readonly string[]): FacetValue[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Array.from(counts, ([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, mostValues);
}
