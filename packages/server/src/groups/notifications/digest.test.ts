import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import {
  createDatabase,
  type Person,
  startTestServer,
  type TestDatabase,
  type TestServer,
} from "../../../test/harness.ts";
import { type MailServer, startMailServer } from "../../../test/mail-server.ts";
import { publish } from "../../../test/prompts.ts";
import { sendDigest } from "./digest.ts";
import { type DigestJob, queueDigests } from "./digest.sql.ts";

let database: TestDatabase;
let mails: MailServer;
let server: TestServer;
let alice: Person;
let bob: Person;
let day = 1;

beforeAll(async () => {
  database = await createDatabase();
  mails = await startMailServer();
  server = await startTestServer({ database, mail: mails.config });
  await server.setClock("2030-01-01T12:00:00Z");
  [alice, bob] = [await server.join("alice"), await server.join("bob")];
  await server.sql`update users set email = handle || '@mail.example'`;
});
afterAll(async () => {
  await server.stop();
  await mails.stop();
  await database.drop();
});
beforeEach(async () => {
  mails.received = [];
  await wants(bob, {});
  await nextDay();
  mails.received = [];
});

const wants = (who: Person, preferences: object) =>
  who.request("PATCH /me", { body: { preferences: { emailDigest: true, emailTypes: [], ...preferences } } });
const noonOf = (nth: number) => Date.UTC(2030, 1, nth, 12);
const waitDays = (count: number) => server.setClock(new Date(noonOf((day += count))).toISOString());
/** A day later, when all that was due has been done. */
async function nextDay(): Promise<void> {
  await waitDays(1);
  await server.workOff();
}
const keyOfBob = () => `digest ${bob.id}`;
/** Makes the jobs due that wait for another attempt. */
const retry = () =>
  server.sql`update graphile_worker._private_jobs set run_at = now() where locked_at is null`;
let prompts = 0;
/** Somebody comments on a prompt of bob's, which bob is notified of. */
async function happen(): Promise<string> {
  const slug = `prompt-${++prompts}`;
  await publish(bob, slug);
  const target = { type: "prompt", id: `bob/${slug}` };
  expect((await alice.request("POST /comments", { body: { target, body: `Hello, ${slug}` } })).status).toBe(
    201,
  );
  await server.workOff();
  return slug;
}

test("a digest names once a day what an account has not read", async () => {
  const first = await happen();
  await server.setClock(new Date(noonOf(day) + 1_000).toISOString());
  const second = await happen();
  expect(mails.received).toEqual([]);
  await nextDay();
  const [mail, ...others] = mails.received;
  expect(others).toEqual([]);
  expect(mail?.to).toEqual(["bob@mail.example"]);
  expect(mail?.fields.get("subject")).toBe(`2 notifications on ${new URL(server.url).host}`);
  for (const slug of [first, second]) expect(mail?.text).toContain(`bob/${slug}`);
  expect(mail?.text.indexOf(second)).toBeLessThan(mail?.text.indexOf(first) ?? 0);
  expect(mail?.text).toContain("goes once a day to the account bob on ");
  expect(mail?.text).not.toContain(" more.");
  await server.workOff();
  await nextDay();
  expect(mails.received.length).toBe(1);
  await happen();
  await server.setClock(new Date(noonOf(day + 1) - 1).toISOString());
  await server.workOff();
  expect(mails.received.length).toBe(1);
  await nextDay();
  expect(mails.received.length).toBe(2);
  expect(mails.received[1]?.fields.get("subject")).toBe(`1 notification on ${new URL(server.url).host}`);
});

test("the first digest of an account is of its last seven days", { tags: "long" }, async () => {
  await wants(bob, { emailDigest: false });
  const old = await happen();
  await waitDays(7);
  const recent = await happen();
  await wants(bob, {});
  await nextDay();
  expect(mails.received).toHaveLength(1);
  expect(mails.received[0]?.text).toContain(`bob/${recent}`);
  expect(mails.received[0]?.text).not.toContain(`bob/${old}\n`);
});

test("a digest names twenty, and counts the rest", { tags: "long" }, async () => {
  await publish(bob, "talked-about");
  const target = { type: "prompt", id: "bob/talked-about" };
  for (let nth = 0; nth < 21; nth++)
    await alice.request("POST /comments", { body: { target, body: `Point ${nth}` } });
  await nextDay();
  const { text, fields } = mails.received[0] ?? { text: "", fields: new Map<string, string>() };
  expect(fields.get("subject")).toContain("21 notifications");
  expect(text.match(/talked-about/g)?.length).toBeGreaterThanOrEqual(20);
  expect(text).toContain("\nAnd 1 more.\n");
  const { items } = (await bob.request("GET /notifications?limit=21")).json;
  expect(items.map(({ url }: { url: string }) => text.includes(url))).toEqual(
    items.map((_: unknown, nth: number) => nth < 20),
  );
});

test("a digest counts the newest thousand", { tags: "long" }, async () => {
  await server.sql`
    with notice as (
      insert into notices (type, title, body, url, target, created_at)
      select 'prompt.label.moved', 'Old', 'Moved.', 'http://a.example', '{"type": "prompt", "id": "a/b"}', clock() from generate_series(1, 1000) n
      returning *
    )
    insert into notifications (notice_id, user_id, id, type)
    select id, ${bob.id}, first_id('ntf', created_at) || right(id, 16), type from notice`;
  await server.setClock(new Date(noonOf(day) + 1_000).toISOString());
  const slug = await happen();
  await nextDay();
  const { text, fields } = mails.received[0] ?? { text: "", fields: new Map<string, string>() };
  expect(fields.get("subject")).toContain("1000 notifications");
  expect([text.includes(`bob/${slug}`), text.includes("\nAnd 980 more.\n")]).toEqual([true, true]);
});

test.for<[string, () => PromiseLike<unknown>]>([
  ["all was read", () => bob.request("POST /notifications/read", { body: { all: true } })],
  ["it came by mail anyhow", () => wants(bob, { emailTypes: ["comment.created"] })],
  ["the account wants none", () => wants(bob, { emailDigest: false })],
  ["the account has no address", () => server.sql`update users set email = null where handle = 'bob'`],
])("no digest is sent if %s", async ([, arrange]) => {
  await happen();
  await arrange();
  await nextDay();
  expect(mails.received).toEqual([]);
  await server.sql`update users set email = handle || '@mail.example'`;
});

const arrangements: [string, () => PromiseLike<unknown>][] = [
  ["wants none", () => wants(bob, { emailDigest: false })],
  ["has no address", () => server.sql`update users set email = null where handle = 'bob'`],
];
const jobCount = async () =>
  (await server.sql`select from graphile_worker.jobs where task_identifier = 'digest'`).count;

test.for(arrangements)("a digest that is queued is not sent once the account %s", async ([, arrange]) => {
  await happen();
  await waitDays(1);
  await queueDigests(server.sql);
  await arrange();
  const warn = vi.spyOn(server.context.log, "warn");
  await server.workOff();
  expect([mails.received, await jobCount(), warn.mock.calls]).toEqual([[], 0, []]);
  warn.mockRestore();
  await server.sql`update users set email = handle || '@mail.example'`;
});

test.for(arrangements)("a digest is not queued while the account %s", async ([, arrange]) => {
  await arrange();
  await waitDays(1);
  await queueDigests(server.sql);
  expect(await jobCount()).toBe(0);
  await server.sql`update users set email = handle || '@mail.example'`;
});

test("a digest is not queued while another worker is about to queue it", async () => {
  await waitDays(1);
  await server.sql.begin(async (other) => {
    await other`select from users where id = ${bob.id} for update`;
    await queueDigests(server.sql);
  });
  expect(await jobCount()).toBe(0);
});

test("a digest waits while its process sends as many mails as it may at once", async () => {
  await happen();
  await waitDays(1);
  await queueDigests(server.sql);
  const [job] = await server.sql<{ payload: DigestJob }[]>`
    select payload from graphile_worker._private_jobs where key = ${keyOfBob()}`;
  const mailer = Object.create(server.context.mailer, { isBusy: { value: true } });
  await sendDigest(Object.create(server.context, { mailer: { value: mailer } }), job!.payload);
  await server.workOff();
  expect(mails.received).toEqual([]);
  await retry();
  await server.workOff();
  expect(mails.received.length).toBe(1);
});

test("a digest that a mail server kept waiting for days loses nothing, and the next goes on where it ends", {
  tags: "long",
}, async () => {
  const first = await happen();
  mails.answers = 451;
  await nextDay().catch(() => {});
  const second = await happen().catch(() => `prompt-${prompts}`);
  await nextDay().catch(() => {});
  expect(mails.received).toEqual([]);
  mails.answers = 250;
  await retry();
  await server.workOff();
  await nextDay();
  expect(
    mails.received.map(({ text }) => [first, second].map((slug) => text.includes(`bob/${slug}`))),
  ).toEqual([
    [true, false],
    [false, true],
  ]);
});

test("a digest whose recipient the mail server does not know is dropped with a line in the log", async () => {
  const warn = vi.spyOn(server.context.log, "warn");
  await happen();
  mails.answersRecipient = 550;
  await nextDay();
  mails.answersRecipient = 250;
  expect(mails.received).toEqual([]);
  const mail = `digest-${bob.id}-${noonOf(day)}`;
  expect(warn.mock.calls).toEqual([[{ mail }, "a digest was dropped: the server said 550"]]);
  warn.mockRestore();
});

test("a digest that a killed process was sending is sent again", async () => {
  await happen();
  await waitDays(1);
  await queueDigests(server.sql);
  await server.sql`
    update graphile_worker._private_jobs set run_at = now() - interval '5 minutes',
      locked_at = now() - interval '3 minutes', locked_by = 'killed'
    where key = ${keyOfBob()}`;
  await server.workOff();
  expect(mails.received.length).toBe(1);
});

test("two workers that look at once queue one digest", async () => {
  await waitDays(1);
  await Promise.all(Array.from({ length: 8 }, () => queueDigests(server.sql)));
  expect(await jobCount()).toBe(1);
});

test("the link in a digest ends it, and nothing else", async () => {
  await wants(bob, { emailTypes: ["prompt.deleted"] });
  await happen();
  await nextDay();
  const link = /To end that: (\S+)/.exec(mails.received[0]?.text ?? "")?.[1] ?? "";
  const [, payload = ""] = new URL(link).searchParams.get("t")?.split(".") ?? [];
  const { exp } = JSON.parse(Buffer.from(payload, "base64url").toString());
  expect(new Date(exp * 1000).toISOString()).toBe(new Date(Date.UTC(2031, 1, day, 12)).toISOString());
  const page = await (await fetch(link)).text();
  expect(page).toContain("gets mail with a digest of the day");
  expect(
    (await fetch(link, { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) }))
      .status,
  ).toBe(200);
  const { preferences } = (await bob.request("GET /me")).json;
  expect(preferences).toMatchObject({ emailDigest: false, emailTypes: ["prompt.deleted"] });
});

test("a digest that was given up ends none of the later ones", { tags: "long" }, async () => {
  await happen();
  await waitDays(1);
  await queueDigests(server.sql);
  await server.sql`
    update graphile_worker._private_jobs set attempts = max_attempts where key = ${keyOfBob()}`;
  const slug = await happen();
  expect(mails.received).toEqual([]);
  await nextDay();
  expect(mails.received.map(({ text }) => text.includes(`bob/${slug}`))).toEqual([true]);
});
