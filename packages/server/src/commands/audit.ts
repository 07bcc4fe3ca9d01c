import { setTimeout as delay } from "node:timers/promises";
import type postgres from "postgres";
import { DatabaseSetupError } from "../database/connection.ts";
import { print, visit } from "./visit.ts";

/** What somebody did. Without an actor it was an operator at the machine. */
interface Entry {
  id: string;
  at: string;
  actor: { id: string; handle: string | null } | null;
  token: { id: string; name: string | null } | null;
  action: string;
  /** The id of what it was done to. */
  target: string;
  requestId: string | null;
  data: Record<string, unknown>;
  /** Whether every entry with a lower id is there too: a transaction can commit after one that began later. */
  isSettled: boolean;
}

interface Filter {
  account?: string;
  action?: string;
}

const atOnce = 1_000;
const lookMs = 1_000;
/** No transaction lasts as long. */
const settled = "2 minutes";

/** The next entries by their ids. Filters are applied to what was read, so that no statement reads a large table. */
const selectEntries = (
  sql: postgres.Sql,
  { after, before }: { after?: string | undefined; before?: string | undefined },
) => sql<Entry[]>`
  select a.id::text, iso(a.at) as at,
    case when a.actor_id is not null then json_build_object('id', a.actor_id, 'handle', u.handle) end as actor,
    case when a.token_id is not null then json_build_object('id', a.token_id, 'name', t.name) end as token,
    a.action, a.target, a.request_id as "requestId", a.data,
    a.at < clock() - ${settled}::interval as "isSettled"
  from audit_log a left join users u on u.id = a.actor_id left join tokens t on t.id = a.token_id
  where ${before === undefined ? sql`a.id > ${after ?? "0"}::bigint` : sql`a.id < ${before}::bigint`}
  order by a.id ${before === undefined ? sql`` : sql`desc`} limit ${atOnce}`;

const fits = ({ account, action }: Filter, entry: Entry): boolean =>
  (account === undefined || entry.actor?.handle === account) &&
  (action === undefined || entry.action === action);

const newest = "9223372036854775807";

/** Lists the last entries, the newest first. */
export const list = ({ limit, json = false, ...filter }: Filter & { limit: string; json?: boolean }) =>
  visit(async (sql) => {
    const most = Number(limit);
    if (!Number.isInteger(most) || most < 1)
      throw new DatabaseSetupError("--limit is a number of entries from 1 on.");
    const found: Entry[] = [];
    for (let before: string | undefined = newest; before !== undefined && found.length < most; ) {
      const entries: Entry[] = await selectEntries(sql, { before });
      found.push(...entries.filter((entry) => fits(filter, entry)));
      before = entries.length === atOnce ? entries.at(-1)?.id : undefined;
    }
    const shown = found.slice(0, most);
    if (json)
      print(
        shown.map(({ isSettled: _, ...entry }) => entry),
        { json },
      );
    else
      print(
        shown.map(({ id, at, actor, token, action, target }) => ({
          id,
          at,
          actor: actor === null ? "operator" : (actor.handle ?? actor.id),
          token: token?.name ?? "",
          action,
          target,
        })),
        {},
      );
  });

/** Writes all entries after one as lines of JSON, the oldest first, but for the last two minutes: so none is missing before the last id. */
export const exportAll = ({ after, ...filter }: Filter & { after?: string }) =>
  visit(async (sql) => {
    for await (const entry of all(sql, requireId(after))) {
      if (!entry.isSettled) return;
      if (fits(filter, entry)) await write(entry);
    }
  });

async function* all(sql: postgres.Sql, from: string | undefined): AsyncGenerator<Entry> {
  for (let after = from; ; ) {
    const entries = await selectEntries(sql, { after });
    yield* entries;
    if (entries.length < atOnce) return;
    after = entries.at(-1)?.id;
  }
}

/** Writes entries as lines of JSON as they come, each once, until it is interrupted. */
export const follow = ({ after, ...filter }: Filter & { after?: string }) =>
  visit(async (sql) => {
    let floor = requireId(after);
    if (floor === undefined) [{ id: floor } = { id: "0" }] = await selectEntries(sql, { before: newest });
    /** Written, and perhaps with others between them that are still to come. */
    const written = new Set<string>();
    for (;;) {
      let isWhole = true;
      for await (const entry of all(sql, floor)) {
        isWhole &&= entry.isSettled;
        if (!written.has(entry.id) && fits(filter, entry)) await write(entry);
        if (isWhole) {
          floor = entry.id;
          written.delete(entry.id);
        } else written.add(entry.id);
      }
      await delay(lookMs);
    }
  });

function requireId(text: string | undefined): string | undefined {
  if (text === undefined || /^\d{1,18}$/.test(text)) return text;
  throw new DatabaseSetupError("--after is the id of an entry, a number.");
}

/** Waits for a slow reader. @throws {DatabaseSetupError} if there is none any more, such as after `head`. */
const write = ({ isSettled: _, ...entry }: Entry): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(`${JSON.stringify(entry)}\n`, (error) =>
      error ? reject(new DatabaseSetupError("Nobody reads the output any more.")) : resolve(),
    );
  });
