import { PassThrough } from "node:stream";
import pg from "pg";
import { parseDatabaseUrl, pgOptions } from "../../src/database/connection.ts";
import { copyIn, copyOut } from "../../src/database/copy.ts";
import { listTables } from "../../src/database/tables.ts";
import { isListed } from "../../src/groups/prompts/visibility.sql.ts";
import { Draw } from "../seed/draw.ts";
import { timeOf } from "./client.ts";
import { compare } from "./measure.ts";
import type { Side, World } from "./world.ts";

/** So many prompts are read, the first of them most often, and the nearly empty registry holds no others. */
const read = 1_000;
const limit = 1.2;
/** Reads are short, so there are many of them. */
const times = 40;

/** What an application asks, of the address of a prompt. */
const reads = {
  "a label": (ref: string) => `/prompts/${ref}?label=production&view=version`,
  "a label, raw": (ref: string) => `/prompts/${ref}/raw?label=production`,
};

/** Compares how fast a label resolves, whatever else the registry has. */
export async function proveLabels(world: World): Promise<void> {
  const { full, empty } = world;
  const chosen = await chooseLabelled(full);
  await copyPrompts(
    full,
    empty,
    chosen.map(({ id }) => id),
  );
  for (const [name, pathOf] of Object.entries(reads)) {
    const one = await Promise.all([full, empty].map(({ client }) => client.get(pathOf(chosen[0]!.ref))));
    if (!one[0]!.body.equals(one[1]!.body))
      world.onProblem(`${name} has another answer in the nearly empty one.`);
    const sides = { base: readOf(empty, chosen, pathOf), ours: readOf(full, chosen, pathOf) };
    world.onFigure(await compare(name, sides, { rounds: world.rounds * times, limit }));
  }
}

/** Reads the label of one of the prompts by a Zipf law: the same one in a round, whichever the side. */
export const readOf =
  ({ client }: Side, chosen: readonly Labelled[], pathOf = reads["a label"]) =>
  (round: number) =>
    timeOf(client, pathOf(chosen[new Draw(18, round).skewed(chosen.length)]!.ref));

export interface Labelled {
  id: string;
  ref: string;
}

/** Some prompts with a label, wherever they stand. */
export const chooseLabelled = ({ sql }: Side): Promise<Labelled[]> => sql<Labelled[]>`
  select p.id, o.handle || '/' || p.slug as ref
  from labels l join prompts p on p.id = l.prompt_id join users o on o.id = p.owner_id
  where l.name = 'production' and ${isListed(sql)} and p.last_version < 100
  order by md5(p.id) limit ${read}`;

/** Of which rows the read prompts consist. */
const parts: Record<string, string> = {
  users: "id in (select owner_id from prompts join chosen using (id))",
  prompts: "id in (select id from chosen)",
  counters: "subject_id in (select id from chosen)",
  blobs: `sha256 in (select f.sha256 from version_files f join versions v on v.id = f.version_id
    join chosen on chosen.id = v.prompt_id)`,
  versions: "prompt_id in (select id from chosen)",
  version_files: "version_id in (select v.id from versions v join chosen on chosen.id = v.prompt_id)",
  labels: "prompt_id in (select id from chosen)",
};

/** Copies prompts with all that a read of them shows. */
async function copyPrompts(from: Side, to: Side, ids: readonly string[]): Promise<void> {
  const [source, target] = [from, to].map(({ url }) => new pg.Client(pgOptions(parseDatabaseUrl(url))));
  await Promise.all([source!.connect(), target!.connect()]);
  try {
    await source!.query("set statement_timeout = 0");
    await source!.query("create temporary table chosen (id text)");
    await source!.query("insert into chosen select unnest($1::text[])", [ids]);
    await source!.query("analyze chosen");
    for (const { name, columns } of await listTables(source!)) {
      const part = parts[name];
      if (part === undefined) continue;
      // A fork whose source is not copied refers to nothing.
      const printed = columns.map((column) => (column.startsWith("forked_from_") ? "null" : column)).join();
      const rows = new PassThrough();
      const [copied] = await Promise.all([
        copyIn(target!, `copy ${name} (${columns.join()}) from stdin`, rows),
        copyOut(source!, `copy (select ${printed} from ${name} where ${part}) to stdout`, rows),
      ]);
      if (copied === 0 && name !== "counters") throw new Error(`no row of ${name} was copied`);
    }
    await target!.query("analyze");
  } finally {
    await Promise.all([source!.end(), target!.end()]);
  }
}
