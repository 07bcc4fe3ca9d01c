import { ListPrompts, type PromptSort } from "@promptreg/core";
import { parse } from "@promptreg/core/wire";
import type { Fragment, Sql } from "../../src/database/sql.ts";
import { orders, selectPrompts } from "../../src/groups/prompts/list.sql.ts";
import { isListed } from "../../src/groups/prompts/visibility.sql.ts";
import { type Key, openPage } from "../../src/kernel/lists/page.ts";
import { jsonOf, timeOf } from "./client.ts";
import { compare } from "./measure.ts";
import type { World } from "./world.ts";

const depth = 100_000;
/** A page far in may take half as long again as the first. */
const limit = 1.5;
const pageLength = 30;

/** A list: its query, and the same as SQL on `prompts p`. */
interface List {
  sort: Exclude<PromptSort, "relevance">;
  filter: string;
  condition: Fragment;
  /**
   * Its plans rightly go through many rows: all of a tag, or all of an account, which may have 5,000 and has its index for
   * `trending` alone. Only its time is looked at.
   */
  isBroad: boolean;
}

/** Compares the first page of each list with one a hundred thousand items further on. */
export async function proveLists(world: World): Promise<void> {
  for (const list of await listsIn(world.full.sql)) {
    const later = await placeOf(world, list);
    if (later === null) {
      world.onProblem(`${pathOf(list)} has no two pages.`);
      continue;
    }
    await proveList(world, list, later);
    if (!list.isBroad) await provePlans(world, list, [undefined, later.cursor]);
  }
}

/** Every order, alone and with each of the filters that matter: by the largest account, tag and kind. */
async function listsIn(sql: Sql): Promise<List[]> {
  const [most] = await sql<{ ownerId: string; owner: string; tag: string }[]>`
    select o.id as "ownerId", o.handle as owner, t.tag
    from (select p.owner_id from prompts p where ${isListed(sql)} group by 1 order by count(*) desc limit 1) p
      join users o on o.id = p.owner_id,
      (select tag from prompts p, unnest(p.tags) tag where ${isListed(sql)} group by 1 order by count(*) desc limit 1) t`;
  const { ownerId, owner, tag } = most!;
  const filters: [string, Fragment][] = [
    ["", sql`true`],
    [`&owner=${owner}`, sql`p.owner_id = ${ownerId}`],
    [`&tag=${tag}`, sql`p.tags @> ${[tag]}`],
    ["&kind=text", sql`p.kind = 'text'`],
    ["&kind=skill", sql`p.kind = 'skill'`],
  ];
  const sorts = Object.keys(orders(sql)) as List["sort"][];
  return filters.flatMap(([filter, condition]) =>
    sorts.map((sort) => {
      const isBroad = filter.startsWith("&tag=") || (filter.startsWith("&owner=") && sort !== "trending");
      return { sort, filter, condition, isBroad };
    }),
  );
}

const pathOf = ({ sort, filter }: List): string => `/prompts?sort=${sort}${filter}`;

interface Place {
  cursor: string;
  /** How many items come before it. */
  before: number;
  /** The id of the item that comes next. */
  next: string;
}

/** A place deep in a list, or as deep as there is a full page; null if there is none. Its cursor is sealed as a server does. */
async function placeOf(world: World, list: List): Promise<Place | null> {
  const { sql } = world.full;
  const { by, isAscending } = orders(sql)[list.sort];
  const direction = isAscending ? sql`asc` : sql`desc`;
  const listed = sql`from prompts p where ${isListed(sql)} and p.rating <> 'mature' and ${list.condition}`;
  const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`select count(*)::int ${listed}`;
  const before = Math.min(depth, count - pageLength);
  if (before < 1) return null;
  const rows = await sql<{ id: string; key: Key }[]>`
    select p.id, json_build_array(${by}, p.id) as key ${listed}
    order by ${by} ${direction}, p.id ${direction} offset ${before - 1} limit 2`;
  const { json } = open(world, queryOf(list)).page.reply([], { goesOn: true, from: rows[0]!.key });
  const { nextCursor } = JSON.parse(json) as { nextCursor: string };
  return { cursor: nextCursor, before, next: rows[1]!.id };
}

const queryOf = ({ sort, filter }: List): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(`sort=${sort}${filter}`));

/** The page that a server opens for a query. */
function open({ secrets }: World, given: Record<string, string | undefined>) {
  const query = parse(ListPrompts, given);
  return { query, page: openPage(secrets, { id: "prompts.list", params: {}, query }) };
}

async function proveList(world: World, list: List, { cursor, before, next }: Place): Promise<void> {
  const { client } = world.full;
  const path = pathOf(list);
  const later = `${path}&cursor=${cursor}`;
  const { items } = await jsonOf<{ items: { id: string }[] }>(client, later);
  if (items.length !== pageLength || items[0]?.id !== next)
    world.onProblem(`${path} shows other items after ${before} than it should.`);
  const sides = { base: () => timeOf(client, path), ours: () => timeOf(client, later) };
  const name = `${path}, after ${before.toLocaleString("en")}`;
  world.onFigure(await compare(name, sides, { rounds: world.rounds, limit }));
}

/** Looks at the plans of the statements of pages. */
async function provePlans(world: World, list: List, cursors: (string | undefined)[]): Promise<void> {
  const { sql } = world.full;
  for (const cursor of cursors) {
    const { page, query } = open(world, { ...queryOf(list), cursor });
    const wanted = { query, page, caller: null, publicUrl: "", sort: list.sort };
    const complaints = await world.plans?.complaintsAbout(() => selectPrompts(sql, wanted), { runs: true });
    for (const complaint of complaints ?? []) world.onProblem(`${pathOf(list)}: ${complaint.split("\n")[0]}`);
  }
}
