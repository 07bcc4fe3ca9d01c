import { promptKinds } from "@promptreg/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseDatabaseUrl } from "../../src/database/connection.ts";
import { startTestServer, type TestServer } from "../harness.ts";
import { tiny } from "./registry.ts";
import { seed } from "./seed.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  await server.setClock("2026-03-04T05:06:07Z");
  await seed(parseDatabaseUrl(server.database.url), tiny);
});

afterAll(() => server?.stop());

test("two databases are filled alike on one day", { tags: "long" }, async () => {
  const other = await startTestServer();
  const digestOf = ({ sql }: TestServer) => sql`
    select (select md5(string_agg(l::text, '' order by prompt_id, name)) from labels l) as labels,
      (select md5(string_agg(d::text, '' order by id)) from deliveries d) as deliveries,
      (select md5(string_agg(s::text, '' order by id)) from search_documents s) as documents`;
  try {
    await other.setClock("2026-03-04T22:00:00Z");
    await seed(parseDatabaseUrl(other.database.url), tiny);
    expect(await digestOf(other)).toEqual(await digestOf(server));
  } finally {
    await other.stop();
  }
});

test("search documents have the terms of their prompts", async () => {
  const wrong = await server.sql`
    select d.document, search_terms(p) from search_documents d join prompts p on p.id = d.id
    where array(select unnest(search_terms(p)) order by 1)
      <> array(select lexeme from unnest(d.document) where lexeme ~ ':' order by 1)`;
  expect(wrong).toEqual([]);
});

test.each(promptKinds)("a seeded version of kind %s is what committing its files makes", async (kind) => {
  const [found] = await server.sql<{ owner: string; ref: string; n: number }[]>`
    select o.handle as owner, o.handle || '/' || p.slug as ref, p.latest_version as n
    from prompts p join users o on o.id = p.owner_id
    where p.kind = ${kind} and p.latest_version = p.last_version and p.deleted_at is null
      and not exists (select from versions v where v.prompt_id = p.id and v.origin ->> 'type' <> 'commit')
    order by p.id limit 1`;
  const { owner, ref, n } = found!;
  const person = await server.join(owner);
  const seeded = await person.request(`GET /prompts/${ref}/versions/${n}`);
  const files = seeded.json.files.map(({ path, content, mode }: any) => ({ path, content, mode }));
  const again = await person.request(`POST /prompts/${ref}/versions`, { body: { files } });
  expect(again.json.error.code).toBe("no_changes");
  const body = { kind, slug: `again-${kind}`, title: "Again", files };
  const made = await person.request("POST /prompts", { body });
  expect(made.status).toBe(201);
  const copy = await person.request(`GET /prompts/${owner}/again-${kind}/versions/1`);
  const { id, promptId, createdAt, n: number, message } = copy.json;
  expect({ ...seeded.json, id, promptId, createdAt, n: number, message }).toEqual(copy.json);
});

test("latest versions, labels and their history agree", async () => {
  const wrong = await server.sql`
    select p.slug from prompts p
    where p.last_version <> (select count(*) from versions v where v.prompt_id = p.id)
      or p.latest_version is distinct from (
        select max(v.n) from versions v where v.prompt_id = p.id and v.yanked_at is null)
    union all
    select l.name from labels l
    where l.version_n <> (
        select m.to_n from label_moves m where (m.prompt_id, m.name) = (l.prompt_id, l.name) order by m.seq desc limit 1)
      or exists (select from versions v where (v.prompt_id, v.n) = (l.prompt_id, l.version_n) and v.yanked_at is not null)
    union all
    select m.name from label_moves m join versions v on (v.prompt_id, v.n) = (m.prompt_id, m.to_n)
    where v.created_at > m.at`;
  expect(wrong).toEqual([]);
});

test("the words of a search document are those that PostgreSQL finds", async () => {
  const wrong = await server.sql`
    select p.title, p.summary, d.document from search_documents d join prompts p on p.id = d.id
    where tsvector_to_array(ts_filter(d.document, '{a,c}'))
      <> tsvector_to_array(to_tsvector('english', concat_ws(' ', p.title, p.summary)))`;
  expect(wrong).toEqual([]);
});
