import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { type PromptRow, promptColumns, promptTarget } from "./target.ts";
import { isListed, isPromptVisible, isVisibleTo } from "./visibility.sql.ts";

let server: TestServer;
let owner: Person;
let stranger: Person;

beforeAll(async () => {
  server = await startTestServer();
  owner = await server.join("alice");
  stranger = await server.join("mallory");
  await server.sql`
    insert into prompts (owner_id, slug, kind, title, rating, visibility, status, deleted_at)
    select ${owner.id}, concat_ws('-', visibility, status, deleted), 'text', 'One of each', 'general', visibility, status,
      case when deleted = 'deleted' then clock() end
    from unnest('{public,unlisted,private}'::text[]) visibility, unnest('{draft,published}'::text[]) status,
      unnest('{kept,deleted}'::text[]) deleted`;
});
afterAll(() => server.stop());

const states = ["public", "unlisted", "private"].flatMap((visibility) =>
  ["draft", "published"].flatMap((status) =>
    ["kept", "deleted"].map((deleted) => `${visibility}-${status}-${deleted}`),
  ),
);

const viewers = { nobody: () => null, "a stranger": () => stranger, "its owner": () => owner };

describe.each(states)("a prompt that is %s", (slug) => {
  test.each(Object.entries(viewers))("is visible to %s in SQL like in the target", async (_name, who) => {
    const { sql } = server;
    const viewerId = who()?.id ?? null;
    const [row] = await sql<(PromptRow & { isVisible: boolean })[]>`
      select ${promptColumns(sql)}, ${isVisibleTo(sql, who())} as "isVisible"
      from prompts p join users o on o.id = p.owner_id where p.slug = ${slug}`;
    if (row === undefined) throw new Error(`there is no prompt ${slug}`);
    const subject = { id: sql`${row.id}`, viewerId: sql`${viewerId}` };
    const [byId] = await sql`
      select ${isPromptVisible(sql, { ...subject, isDeletion: sql`false` })} as "isVisible",
        ${isPromptVisible(sql, { ...subject, isDeletion: sql`true` })} as "isDeletionVisible"`;
    const caller = viewerId === null ? null : ({ id: viewerId } as Caller);
    const isVisible = promptTarget.visibility(row, caller) === "visible";
    expect(row.isVisible).toBe(isVisible);
    expect(byId).toEqual({ isVisible, isDeletionVisible: isVisible || viewerId === owner.id });
  });

  test("is in everybody's lists only if it is public, published and not deleted", async () => {
    const { sql } = server;
    const rows = await sql`select from prompts p where p.slug = ${slug} and ${isListed(sql)}`;
    expect(rows.length).toBe(slug === "public-published-kept" ? 1 : 0);
  });
});

test("what is in everybody's lists is visible to anonymous callers", async () => {
  const { sql } = server;
  const rows = await sql`select from prompts p where ${isListed(sql)} and not ${isVisibleTo(sql, null)}`;
  expect(rows.length).toBe(0);
});

test("a prompt that does not exist is visible to nobody", async () => {
  const { sql } = server;
  const subject = { id: sql`'prm_0'`, viewerId: sql`${owner.id}`, isDeletion: sql`true` };
  const [row] = await sql`select ${isPromptVisible(sql, subject)} as "isVisible"`;
  expect(row).toEqual({ isVisible: false });
});
