import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  createDatabase,
  type Person,
  startTestServer,
  type TestDatabase,
  type TestServer,
} from "../../../test/harness.ts";
import { type MailServer, startMailServer } from "../../../test/mail-server.ts";
import { publish } from "../../../test/prompts.ts";
import { queueDigests } from "./digest.sql.ts";

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
/** A day later, when all that was due has been done. */
async function nextDay(): Promise<void> {
  await server.setClock(`2030-02-${String(++day).padStart(2, "0")}T12:00:00Z`);
  await server.workOff();
}
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
  const [first, second] = [await happen(), await happen()];
  expect(mails.received).toEqual([]);
  await nextDay();
  const [mail, ...others] = mails.received;
  expect(others).toEqual([]);
  expect(mail?.to).toEqual(["bob@mail.example"]);
  expect(mail?.fields.get("subject")).toBe(`2 notifications on ${new URL(server.url).host}`);
  for (const slug of [first, second]) expect(mail?.text).toContain(`bob/${slug}`);
  expect(mail?.text).toContain("goes once a day to the account bob on ");
  await server.workOff();
  await nextDay();
  expect(mails.received.length).toBe(1);
});

test("a digest names twenty, and counts the rest", async () => {
  await publish(bob, "talked-about");
  const target = { type: "prompt", id: "bob/talked-about" };
  for (let nth = 0; nth < 23; nth++)
    await alice.request("POST /comments", { body: { target, body: `Point ${nth}` } });
  await nextDay();
  const { text, fields } = mails.received[0] ?? { text: "", fields: new Map<string, string>() };
  expect(fields.get("subject")).toContain("23 notifications");
  expect(text.match(/talked-about/g)?.length).toBeGreaterThanOrEqual(20);
  expect(text).toContain("\nAnd 3 more.\n");
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

test("a digest that a mail server kept waiting for days loses nothing, and the next goes on where it ends", async () => {
  const first = await happen();
  mails.answers = 451;
  await nextDay().catch(() => {});
  const second = await happen().catch(() => `prompt-${prompts}`);
  await nextDay().catch(() => {});
  expect(mails.received).toEqual([]);
  mails.answers = 250;
  const retry = () =>
    server.sql`update graphile_worker._private_jobs set run_at = now() where locked_at is null`;
  await retry();
  await server.workOff();
  await nextDay();
  const said = mails.received.map(({ text }) => text).join("\n");
  for (const slug of [first, second]) expect(said.split(`bob/${slug}`).length - 1).toBeGreaterThan(0);
  expect(mails.received.length).toBe(2);
});

test("a digest that a killed process was sending is sent again", async () => {
  await happen();
  await server.setClock(`2030-02-${++day}T12:00:00Z`);
  await queueDigests(server.sql);
  await server.sql`
    update graphile_worker._private_jobs set run_at = now() - interval '5 minutes',
      locked_at = now() - interval '3 minutes', locked_by = 'killed'
    where key = ${`digest ${bob.id}`}`;
  await server.workOff();
  expect(mails.received.length).toBe(1);
});

test("two workers that look at once queue one digest", async () => {
  await server.setClock(`2030-02-${++day}T12:00:00Z`);
  await Promise.all(Array.from({ length: 8 }, () => queueDigests(server.sql)));
  const jobs = await server.sql`select from graphile_worker.jobs where task_identifier = 'digest'`;
  expect(jobs.count).toBe(1);
});

test("the link in a digest ends it, and nothing else", async () => {
  await wants(bob, { emailTypes: ["prompt.deleted"] });
  await happen();
  await nextDay();
  const link = /To end that: (\S+)/.exec(mails.received[0]?.text ?? "")?.[1] ?? "";
  const page = await (await fetch(link)).text();
  expect(page).toContain("gets mail with a digest of the day");
  expect(
    (await fetch(link, { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) }))
      .status,
  ).toBe(200);
  const { preferences } = (await bob.request("GET /me")).json;
  expect(preferences).toMatchObject({ emailDigest: false, emailTypes: ["prompt.deleted"] });
});
