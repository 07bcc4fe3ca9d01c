import type { PostSummary } from "@promptreg/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { done, publishFiles } from "../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../test/harness.ts";

let server: TestServer;
let ada: Person;

beforeAll(async () => {
  server = await startTestServer();
  ada = await server.join("ada");
  await server.sql`update users set trusted_author = true`;
});
afterAll(() => server.stop());

/** Asks as a reader of feeds does, with a token too, which changes nothing. */
const read = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/feeds/${path}`, { headers, redirect: "manual" });
const titlesOf = async (path: string): Promise<string[]> =>
  (await (await read(`${path}.json`)).json()).items.map(({ title }: { title: string }) => title);
const write = async (title: string, body: object = {}): Promise<string> =>
  (await done(ada, "POST /posts", { title, body: "It says", ...body })).id;
const publish = async (title: string, body: object = {}): Promise<string> => {
  const id = await write(title, body);
  await done(ada, `POST /posts/${id}/submit`, {});
  return id;
};

test("the feed of posts has what everybody reads, the newest first, as Atom and as JSON Feed", async () => {
  await publish("One", { tags: ["start"], summary: "How to <begin> & go on" });
  const two = await publish("Two");
  await write("Draft");
  await done(ada, `PATCH /posts/${two}`, { title: "Two, not published" });
  expect(await titlesOf("posts")).toEqual(["Two", "One"]);
  const atom = await read("posts.atom?tag=start&author=ada");
  expect(atom.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
  const text = await atom.text();
  expect(text).toContain("<summary>How to &lt;begin&gt; &amp; go on</summary>");
  expect(text.match(/<entry>/g)).toHaveLength(1);
  expect(text).toContain("  <title>Posts by ada tagged start</title>\n  <link");
  expect(text).toContain(`<id>${server.url}/feeds/posts.atom?tag=start&amp;author=ada</id>`);
  const [, updated] = /<updated>(.+)<\/updated>/.exec(await (await read("posts.atom")).text()) ?? [];
  const json = await read("posts.json");
  expect(json.headers.get("content-type")).toBe("application/feed+json; charset=utf-8");
  const feed = await json.json();
  expect(feed).toEqual({
    version: "https://jsonfeed.org/version/1.1",
    title: "Posts",
    home_page_url: `${server.url}/api/v1/posts`,
    feed_url: `${server.url}/feeds/posts.json`,
    items: [expect.any(Object), expect.objectContaining({ content_text: "How to <begin> & go on" })],
  });
  const url = `${server.url}/posts/${two}`;
  const { publishedAt, updatedAt } = (await done(ada, `GET /posts/${two}`)) as PostSummary;
  expect(feed.items[0]).toEqual({
    id: url,
    url,
    title: "Two",
    content_text: "Two",
    date_published: publishedAt,
    date_modified: updatedAt,
    authors: [{ name: "ada", url: `${server.url}/ada` }],
    tags: [],
  });
  expect(updated).toBe(updatedAt);
});

test("a feed has the thirty newest, or as many as its address says", async () => {
  const { id } = await done(ada, "POST /posts/series", { title: "Long" });
  await server.sql`
    with part as (
      insert into posts (owner_id, slug, working_id, public_id, tags, status, published_at, series_id)
      select ${ada.id}, 'part-' || n, id, id, '{}', 'published', clock() - make_interval(days => n), ${id}
      from generate_series(1, 31) n cross join lateral (select new_id('rev') as id where n > 0) r returning *
    ), text as (
      insert into post_revisions (id, post_id, number, kind, author_id, title, body, words)
      select public_id, id, 1, 'publish', owner_id, slug, 'It says', 2 from part
    )
    update post_series set post_ids = array(select id from part) where id = ${id}`;
  const parts = await titlesOf(`series/${id}`);
  expect([parts[0], parts.length, (await titlesOf("posts")).length]).toEqual(["part-1", 30, 30]);
  expect((await (await read("posts.json?limit=2")).json()).items).toHaveLength(2);
});

test("a feed shows a token's owner no more, and has the ETag and the refusals of what it is read from", async () => {
  const { id } = await done(ada, "POST /posts/series", { title: "Shown" });
  await publish("Part", { seriesId: id });
  await publishFiles(ada, "prompt", { "PROMPT.md": "Hello" });
  const asked = { authorization: `Bearer ${ada.token}`, accept: "application/atom+xml" };
  const first = await read("posts.atom", asked);
  const etag = first.headers.get("etag") ?? "";
  const text = await first.text();
  expect([text.includes("Draft"), text.match(/<summary>/g)?.length]).toEqual([false, 1]);
  expect((await read("posts.atom", { "if-none-match": etag })).status).toBe(304);
  expect((await read("posts.atom?mine=true")).status).toBe(401);
  expect((await read("posts.atom?status=in_review")).status).toBe(401);
  expect((await read("posts.atom?colour=red")).status).toBe(422);
  for (const path of [
    "posts.rss",
    "posts.atomic",
    "posts/x.atom",
    "nothing.atom",
    "series/ser_1.atom",
    `series/${id}/more.atom`,
    "prompts/ada.atom",
    "prompts/ada/prompt/more.atom",
    "../healthz",
  ])
    expect([path, (await read(path)).status]).toEqual([path, path.startsWith("..") ? 200 : 404]);
  await publish("Three");
  expect((await read("posts.atom", { "if-none-match": etag })).status).toBe(200);
  expect((await fetch(`${server.url}/feeds/posts.atom`, { method: "HEAD" })).status).toBe(200);
});

test("the feed of a series has its published posts", async () => {
  const { id } = await done(ada, "POST /posts/series", { title: "A course" });
  await write("Hidden part", { seriesId: id });
  expect((await read(`series/${id}.atom`)).status).toBe(404);
  await publish("Part one", { seriesId: id });
  await publish("Part two", { seriesId: id });
  expect(await titlesOf(`series/${id}`)).toEqual(["Part two", "Part one"]);
});

test("the feed of a prompt has its versions, moves with it, and is nobody's while it is private", async () => {
  await publishFiles(ada, "reply", { "PROMPT.md": "Hello" });
  const files = [{ path: "PROMPT.md", content: "Hello again" }];
  await done(ada, "POST /prompts/ada/reply/versions", { files, message: "Say it twice" });
  expect(await titlesOf("prompts/ada/reply")).toEqual(["ada/reply@2", "ada/reply@1"]);
  expect(await (await read("prompts/ada/reply.atom")).text()).toContain("<summary>Say it twice</summary>");
  await done(ada, "PATCH /prompts/ada/reply", { slug: "answer" });
  const moved = await read("prompts/ada/reply.atom");
  expect([moved.status, moved.headers.get("location")]).toEqual([301, "/feeds/prompts/ada/answer.atom"]);
  await done(ada, "PATCH /prompts/ada/answer", { visibility: "private" });
  const headers = { authorization: `Bearer ${ada.token}` };
  expect((await read("prompts/ada/answer.atom", headers)).status).toBe(404);
});
