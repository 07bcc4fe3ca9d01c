import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { done, proposeFiles, publishFiles } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { renderer } from "../../kernel/markdown/render.ts";
import { changeRequests } from "./index.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let prompts = 0;
let ref: string;
/** The address of the change requests of a test. */
let at: string;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
});
beforeEach(async () => {
  const slug = `p-${++prompts}`;
  ref = `alice/${slug}`;
  at = `/prompts/${ref}/change-requests`;
  await publishFiles(alice, slug, { "PROMPT.md": "Hello" });
});
afterAll(() => server.stop());

const propose = async (fields: object): Promise<number> => {
  const { n } = await proposeFiles(bob, ref, { "PROMPT.md": "Hello, hello" });
  await done(bob, `PATCH ${at}/${n}`, fields);
  return n;
};
const htmlOf = async (n: number) => (await done(alice, `GET ${at}/${n}`)).html;
const etagOf = async (n: number) => (await alice.request(`GET ${at}/${n}`)).headers.get("etag");
/** The worker's minute. */
const work = () => changeRequests.work(server.context).everyMinute();
const em = "<p>It is <em>better</em>.</p>\n";

test("a body of Markdown is shown as HTML: when it is written, read and listed", async () => {
  const { ref: fork } = await done(bob, `POST /prompts/${ref}/forks`, {});
  await done(bob, `POST /prompts/${fork}/versions`, { files: [{ path: "PROMPT.md", content: "Hi" }] });
  const body = "It is *better*.";
  const made = await done(bob, `POST ${at}`, { source: { ref: fork }, title: "Better", body });
  expect(made).toMatchObject({ body, html: em });
  expect(await htmlOf(made.n)).toBe(em);
  expect((await done(alice, `GET ${at}`)).items).toMatchObject([{ body, html: em }]);
});

test("another body has other HTML, no body has none, and an edit of something else keeps it", async () => {
  const n = await propose({ body: "It is *better*." });
  expect(await done(bob, `PATCH ${at}/${n}`, { title: "Best" })).toMatchObject({ html: em });
  expect(await done(bob, `PATCH ${at}/${n}`, { body: "# Why" })).toMatchObject({ html: "<h1>Why</h1>\n" });
  expect(await done(bob, `PATCH ${at}/${n}`, { body: "Why\n===" })).toMatchObject({ html: "<h1>Why</h1>\n" });
  expect(await done(bob, `PATCH ${at}/${n}`, { body: null })).toMatchObject({ body: null, html: null });
  expect(await done(bob, `PATCH ${at}/${n}`, { body: "" })).toMatchObject({ body: "", html: "" });
});

/** Does what an older release does, and gives what a read shows before and after the worker's minute. */
async function rendersAnew(n: number, write: () => PromiseLike<unknown>) {
  await write();
  const [before, etag] = [await done(alice, `GET ${at}/${n}`), await etagOf(n)];
  await work();
  const after = await done(alice, `GET ${at}/${n}`);
  expect(after).toEqual({ ...before, html: after.html });
  expect((await etagOf(n)) === etag).toBe(before.html === after.html);
  return [before.html, after.html];
}

test("a body that an older release wrote has no HTML until the worker has rendered it, which changes the ETag alone", async () => {
  const n = await propose({ body: "It is *better*." });
  const forget = () => server.sql`update change_requests set body_html = null, body_renderer = 0`;
  expect(await rendersAnew(n, forget)).toEqual([null, em]);
});

test("a body that an older release changes does not keep the HTML of the former one", async () => {
  const n = await propose({ body: "Why" });
  const change = () => server.sql`
    update change_requests set body = 'It is *better*.' where body = 'Why'`;
  expect(await rendersAnew(n, change)).toEqual([null, em]);
  const remove = () => server.sql`update change_requests set body = null`;
  expect(await rendersAnew(n, remove)).toEqual([null, null]);
});

test("HTML that is stored is shown, and replaced only if an older renderer made it", async () => {
  const n = await propose({ body: "It is *better*." });
  const store = (number: number) => () =>
    server.sql`
    update change_requests set body_html = '<p>Other</p>', body_renderer = ${number} where body is not null`;
  for (const number of [renderer, renderer + 1])
    expect(await rendersAnew(n, store(number))).toEqual(["<p>Other</p>", "<p>Other</p>"]);
  expect((await done(alice, `GET ${at}`)).items).toMatchObject([{ html: "<p>Other</p>" }]);
  await store(renderer - 1)();
  await work();
  expect(await htmlOf(n)).toBe(em);
});

test("the number of the renderer changes the ETag, even if the HTML is the same", async () => {
  const n = await propose({ body: "Why" });
  const etag = await etagOf(n);
  await server.sql`update change_requests set body_renderer = body_renderer + 1`;
  expect(await etagOf(n)).not.toBe(etag);
});

test.each([
  ["an older release changes the body", () => server.sql`body = 'Other'`, null],
  [
    "a newer release renders it",
    () => server.sql`body_html = 'Newer', body_renderer = ${renderer + 1}`,
    "Newer",
  ],
])("while %s, the worker renders for nothing", async (_, changed, html) => {
  const n = await propose({ body: "It is *better*." });
  await server.sql`update change_requests set body_html = null, body_renderer = 0 where body is not null`;
  const change = (sql: typeof server.sql) =>
    sql`update change_requests set ${changed()} where body is not null`;
  await server.atOnce(change, [work as never]);
  expect(await htmlOf(n)).toBe(html);
});

test("the worker renders more bodies than it reads at once, and finds them among requests that have none", async () => {
  const n = await propose({ body: "It is *better*." });
  await server.sql`
    insert into change_requests (target_id, n, source_id, source_n, base_n, author_id, title, body, state, files, additions, deletions)
    select target_id, n + nth, source_id, 2, 1, author_id, title, case when nth > 50 then body end, 'closed', 0, 0, 0
    from change_requests, generate_series(1, 100) nth where n = ${n} and body is not null`;
  await work();
  expect(
    await server.sql`select from change_requests where body is not null and body_renderer < ${renderer}`,
  ).toEqual([]);
});
