import { afterAll, beforeAll, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { tell } from "../../../test/notified.ts";
import { moveLabel, publish } from "../../../test/prompts.ts";
import { moveOutbox } from "../../kernel/changes/outbox.ts";
import { sweepNotifications } from "./index.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer();
  await server.setClock("2026-01-01T00:00:00.000Z");
  alice = await server.join("alice");
  bob = await server.join("bob");
  await publish(alice, "p");
  await tell(server, bob);
});
afterAll(() => server.stop());

const shown = async () => (await bob.request("GET /notifications")).json.items.length;
const unread = async () => (await bob.request("GET /notifications/count")).json.unread;
const rows = async () => {
  const [row] = await server.sql`
    select (select count(*)::int from notifications) as notifications, (select count(*)::int from notices) as notices`;
  return row;
};

test("notifications are kept for 180 days, and deleted within a minute after that", async () => {
  await server.setClock("2026-06-30T00:00:00.000Z");
  // Its account is gone.
  await server.sql`
    insert into notices (type, title, body, url, target, created_at)
    select type, title, body, url, target, created_at from notices`;
  await sweepNotifications(server.sql);
  expect([await shown(), await unread(), await rows()]).toEqual([1, 1, { notifications: 1, notices: 2 }]);
  await moveLabel(alice, "p", "later");
  await tell(server, bob);
  await server.setClock("2026-06-30T00:00:00.001Z");
  expect([await shown(), await unread()]).toEqual([1, 1]);
  expect((await bob.request("POST /notifications/read", { body: { all: true } })).json).toEqual({
    updated: 1,
    unread: 0,
  });
  await sweepNotifications(server.sql);
  expect(await rows()).toEqual({ notifications: 1, notices: 1 });
});

test("a notification that a killed process was writing is written", async () => {
  expect((await bob.request("POST /prompts/alice/p/forks", { body: {} })).status).toBe(201);
  await moveOutbox(server.sql);
  const told = async (lockedFor: string) => {
    const { count } = await server.sql`
      update graphile_worker._private_jobs j set locked_at = now() - ${lockedFor}::interval, locked_by = 'killed'
      from jobs where jobs.id = j.id and jobs.task_identifier = 'notify'`;
    expect(count).toBe(1);
    await server.workOff();
    return (await alice.request("GET /notifications?type=prompt.forked")).json.items.length;
  };
  // Until then it may be at work.
  expect([await told("1 minute 50 seconds"), await told("2 minutes 10 seconds")]).toEqual([0, 1]);
});

test("whatever tells or mails is free again after a process that was killed", async () => {
  const tasks = ["contest-changed", "digest", "mail", "notify", "purge_webhook"];
  await server.sql`
    select graphile_worker.add_job(task, '{}', run_at := now() + interval '1 hour') from unnest(${tasks}::text[]) task`;
  await server.sql`
    update graphile_worker._private_jobs j set locked_at = now() - interval '3 minutes', locked_by = 'killed ' || jobs.id
    from jobs where jobs.id = j.id`;
  await sweepNotifications(server.sql);
  const held =
    await server.sql`select task_identifier as task from graphile_worker.jobs where locked_by is not null`;
  await server.sql`delete from graphile_worker._private_jobs`;
  expect(held.map(({ task }) => task)).toEqual(["purge_webhook"]);
});

test("any number of old notifications is deleted", { tags: "long" }, async () => {
  await server.sql`
    insert into notifications (notice_id, user_id, id, type)
    select (select min(id) from notices), 'usr_' || i, first_id('ntf', '2026-06-30') || lpad(i::text, 16, '0'), 'prompt.published'
    from generate_series(1, 25001) i`;
  await server.setClock("2027-06-30T00:00:00.000Z");
  await sweepNotifications(server.sql);
  expect(await rows()).toEqual({ notifications: 0, notices: 0 });
});
