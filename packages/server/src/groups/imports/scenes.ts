import type { Sql } from "../../database/sql.ts";
import {
  type Act,
  each,
  expectDone,
  type GroupScenes,
  type Stage,
  type Thing,
} from "../../../test/scenes.ts";

const source = { type: "paste", text: "Summarise {{text}}." };

/** An account has room for ten. Those of earlier tests are not used any more. */
const makeRoom = ({ server: { sql }, owner, sharedAddresses }: Stage) => sql`
  update imports set status = 'cancelled'
  where id in (select id from imports where user_id = ${owner.id} order by id desc offset 2)
    and id <> all (${[...sharedAddresses]}) and status <> 'cancelled'`;

/** As if a worker had found this many prompts. */
const find = ({ server: { sql } }: Stage, { address: id }: Thing, count: number) => findIn(sql, id, count);

async function findIn(sql: Sql, id: string, count: number): Promise<void> {
  await sql`update imports set status = 'ready', ready_at = clock(), detected = ${count}, selected = ${count} where id = ${id}`;
  await sql`
    insert into import_items (id, import_id, position, detector, kind, title, slug, tags, source_path, files, preview, variables,
      confidence, selected, warnings)
    select new_id('iim'), ${id}, nth, 'text', 'text', 'Found', 'found', '{}', 'prompts/found.md', '[]', 'Hi', '[]', 0.5, true, '{}'
    from generate_series(1, ${count}) nth`;
}

const ofImport =
  (change: (sql: Sql, id: string) => PromiseLike<unknown>): Act =>
  ({ server }, { import: { address } }) =>
    change(server.sql, address);

export const scenes: GroupScenes<"imports"> = {
  kinds: {
    import: {
      make: async (stage) => {
        await makeRoom(stage);
        const { id } = await expectDone(stage.owner, "POST /imports", { source });
        return { params: { id }, address: id };
      },
    },
  },
  operations: {
    list: {
      fill: async (stage) => {
        for (const _ of [1, 2]) await stage.make("import");
      },
      list: {
        path: "/imports",
        queries: ["", ...each("status", "completed cancelled failed ready queued")],
      },
    },
    create: { body: { source }, isEchoing: true },
    upload: { query: () => ({ filename: "conversations.json", size: 2 }), text: "[]", isEchoing: true },
    get: {
      fill: (stage, thing) => find(stage, thing, 2),
      list: async (sql) => {
        const [last] = await sql<
          { id: string }[]
        >`select id from imports where status = 'ready' order by id desc limit 1`;
        return { path: `/imports/${last?.id}`, queries: [""] };
      },
    },
    cancel: {},
    commit: { prepare: (stage, thing) => find(stage, thing, 1) },
    uploadChunk: {
      text: "[]",
      headers: { "content-range": "bytes 0-1/2" },
      prepare: ({ server: { sql } }, thing) => sql`
        with chunks as (delete from import_chunks where import_id = ${thing.address})
        update imports set status = 'uploading', upload_size = 2, upload_received = 0 where id = ${thing.address}`,
    },
  },
  /** The viewer imports what the prompt has already. */
  shows: async ({ server: { sql }, viewer }, { word }) => {
    const { id } = await expectDone(viewer, "POST /imports", { source });
    await findIn(sql, id, 1);
    await sql`update imports set status = 'completed' where id = ${id}`;
    await sql`
      update import_items set duplicate = (
        select jsonb_build_object('level', 'exact', 'matches', jsonb_build_array(jsonb_build_object(
          'type', 'prompt', 'ref', id, 'versionNumber', 1, 'similarity', 1, 'own', false)))
        from prompts where slug = ${word}) where import_id = ${id}`;
    return { import: { params: { id }, address: id } };
  },
  changes: {
    "what an import found": (stage, things) => find(stage, things.import, 1),
    "where it was found": ofImport(
      (sql, id) => sql`update imports set source = source || '{"commit": "1234567"}' where id = ${id}`,
    ),
    "a chunk of a file": ofImport(
      (sql, id) => sql`update imports set upload_size = 2, upload_received = 1 where id = ${id}`,
    ),
    "what became of an item": ofImport(
      (sql, id) => sql`update import_items set state = 'skipped' where import_id = ${id}`,
    ),
    "one more import": ({ owner }) => expectDone(owner, "POST /imports", { source }),
    "the end of an import": ({ owner }, { import: { address } }) =>
      expectDone(owner, `POST /imports/${address}/cancel`),
  },
};
