import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { settled } from "../../../test/endpoints.ts";
import {
  createDatabase,
  type Person,
  startTestServer,
  type TestDatabase,
  type TestServer,
} from "../../../test/harness.ts";
import { type MailServer, startMailServer } from "../../../test/mail-server.ts";
import { newestEvent, tell, tellIn } from "../../../test/notified.ts";
import { publish } from "../../../test/prompts.ts";
import { until } from "../../../test/waiting.ts";
import { type MailConfig, openMailer } from "../../kernel/mailer.ts";
import { notifyDisabled, sweepNotifications } from "./index.ts";

let database: TestDatabase;
let mails: MailServer;
let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  database = await createDatabase();
  mails = await startMailServer();
  server = await startTestServer({ database, works: true, mail: mails.config });
  alice = await server.join("alice");
  bob = await server.join("bob");
  await publish(alice, "p", { title: "P" });
});
beforeEach(async () => {
  Object.assign(mails, {
    answers: 250,
    answersSender: 250,
    answersRecipient: 250,
    held: Promise.resolve(),
    received: [],
  });
  server.context.mailer = openMailer(mails.config);
  await server.sql`update users set email = handle || '@mail.example'`;
  await wants(bob, ["prompt.label.moved"]);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.sql`select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs`;
});
afterAll(async () => {
  await server.stop();
  await mails.stop();
  await database.drop();
});

const wants = (who: Person, emailTypes: string[]) =>
  who.request("PATCH /me", { body: { preferences: { emailTypes } } });
let labels = 0;
/** Causes an event that bob wants mail about. */
async function happen(): Promise<void> {
  await alice.request(`PUT /prompts/alice/p/labels/l${++labels}`, {
    body: { versionNumber: 1, reason: "Grüße <b>" },
  });
}
const jobs = () =>
  server.sql<{ error: string | null; attempts: number }[]>`
    select last_error as error, attempts from graphile_worker.jobs where task_identifier = 'mail'`;
/** Waits until the only mail job has failed, and gives its error. */
async function failure(): Promise<string> {
  let error: string | null = null;
  await until(async () => (error = (await jobs())[0]?.error ?? null) !== null);
  return error ?? "";
}
/** Makes waiting jobs due now. Adding any job wakes the worker. */
async function retry(): Promise<void> {
  await server.sql`update graphile_worker._private_jobs set run_at = now() where locked_at is null`;
  await server.sql`select graphile_worker.add_job('purge_webhook', '{"webhookId": "none"}')`;
}
/** Queues a mail, and postpones it, so that the worker does not send it yet. */
async function queued(): Promise<void> {
  await happen();
  await server.sql.begin(async (sql) => {
    await tellIn(sql, server, bob);
    await sql`update graphile_worker._private_jobs set run_at = now() + interval '1 hour'`;
  });
}

describe("a notification of a type that an account wants by mail", () => {
  test("is mailed, with the headers for one-click unsubscription", async () => {
    await happen();
    await tell(server, alice, bob);
    await settled(server);
    const [mail, ...others] = mails.received;
    expect(others).toEqual([]);
    const [{ id } = { id: "" }] = (await bob.request("GET /notifications")).json.items;
    expect(mail?.from).toBe("no-reply@prompts.example");
    expect(mail?.to).toEqual(["bob@mail.example"]);
    const field = (name: string) => mail?.fields.get(name);
    expect(field("from")).toBe("Promptreg <no-reply@prompts.example>");
    expect(field("to")).toBe("bob@mail.example");
    expect(field("subject")).toBe(`l${labels} of alice/p set to version 1`);
    expect(field("message-id")).toBe(`<${id}@prompts.example>`);
    expect(field("auto-submitted")).toBe("auto-generated");
    expect(field("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    const link = /^<(\S+)>$/.exec(field("list-unsubscribe") ?? "")?.[1] ?? "";
    expect(link.startsWith(`${server.url}/api/v1/notifications/unsubscribe?t=`)).toBe(true);
    expect(mail?.text).toContain("\n\nSet by alice: Grüße <b>\n\n");
    expect(mail?.text).toContain(`\n${server.url}/alice/p@1\n`);
    expect(mail?.text).toContain("the account bob on ");
    expect(mail?.text).toContain(`\nTo end that: ${link}\n`);
  });

  test("is mailed once, even if its event is processed several times", async () => {
    await happen();
    await tell(server, bob);
    await tell(server, bob);
    await settled(server);
    await tell(server, bob);
    await settled(server);
    expect(mails.received.length).toBe(1);
  });

  test("is mailed to each account that gets it", async () => {
    const dora = await server.join("dora");
    await server.sql`update users set email = 'dora@mail.example' where id = ${dora.id}`;
    await wants(dora, ["prompt.label.moved"]);
    await happen();
    await tell(server, bob, dora);
    await settled(server);
    expect(mails.received.flatMap(({ to }) => to).sort()).toEqual(["bob@mail.example", "dora@mail.example"]);
  });

  test.for<[string, () => Promise<unknown>]>([
    ["the account wants none of its type", () => wants(bob, ["prompt.published"])],
    ["the account has no address", async () => server.sql`update users set email = null`],
    ["there is no mail server", async () => (server.context.mailer = null)],
  ])("is not queued if %s", async ([, arrange]) => {
    await arrange();
    await queued();
    expect((await jobs()).length).toBe(0);
  });

  test.for<[string, () => Promise<unknown>, (() => Promise<unknown>)?]>([
    ["unsubscribed", () => wants(bob, [])],
    ["lost its address", async () => server.sql`update users set email = null where id = ${bob.id}`],
    [
      "can no longer see the prompt",
      () => alice.request("PATCH /prompts/alice/p", { body: { visibility: "private" } }),
      () => alice.request("PATCH /prompts/alice/p", { body: { visibility: "public" } }),
    ],
  ])("is not sent once the account %s", async ([, change, undo]) => {
    await queued();
    expect((await jobs()).length).toBe(1);
    await change();
    const warn = vi.spyOn(server.context.log, "warn");
    await retry();
    await until(async () => (await jobs()).length === 0);
    await undo?.();
    expect([mails.received, warn.mock.calls]).toEqual([[], []]);
  });

  test("goes to the address that the account has when it is sent", async () => {
    await queued();
    await server.sql`update users set email = 'new@mail.example' where id = ${bob.id}`;
    await retry();
    await until(() => mails.received.length > 0);
    expect(mails.received[0]?.to).toEqual(["new@mail.example"]);
  });
});

test("the owner of a disabled webhook gets a mail, unless they unsubscribed", async () => {
  const carol = await server.join("carol");
  await server.sql`update users set email = 'carol@mail.example' where id = ${carol.id}`;
  const { json } = await carol.request("POST /webhooks", { body: { url: "http://127.0.0.1:9/hook" } });
  const disable = () =>
    server.sql.begin((sql) => notifyDisabled(sql, server.context, { webhookId: json.id }));
  await disable();
  await settled(server);
  expect(mails.received.map(({ to, fields }) => [...to, fields.get("subject")])).toEqual([
    ["carol@mail.example", "Your webhook to 127.0.0.1:9 was disabled"],
  ]);
  await wants(carol, []);
  await disable();
  await settled(server);
  expect(mails.received.length).toBe(1);
  expect((await carol.request("GET /notifications")).json.items.length).toBe(2);
});

describe("while the mail server", () => {
  test("is down, a mail waits until it is back", async () => {
    const other = await startMailServer();
    const { port } = other.config;
    await other.stop();
    server.context.mailer = openMailer(other.config);
    await happen();
    await tell(server, bob);
    expect(await failure()).toMatch(/^The mail server did not accept the mail: E\w+\.$/);
    const back = await startMailServer({ port });
    await retry();
    await until(async () => back.received.length === 1 && (await jobs()).length === 0);
    await back.stop();
  });

  test.for([421, 451, 452])("says %i, a mail waits", async (answer) => {
    mails.answers = answer;
    await happen();
    await tell(server, bob);
    expect(await failure()).toBe(`The mail server did not accept the mail: EMESSAGE ${answer}.`);
    mails.answers = 250;
    await retry();
    await until(async () => mails.received.length === 1 && (await jobs()).length === 0);
  });

  test.for<Partial<MailServer>>([{ answers: 554 }, { answersSender: 554 }, { answersRecipient: 451 }])(
    "says what its operator can mend, a mail waits: %o",
    async (said) => {
      Object.assign(mails, said);
      await happen();
      await tell(server, bob);
      expect(await failure()).toMatch(/^The mail server did not accept the mail: E\w+ \d{3}\.$/);
      for (const name of Object.keys(said)) Object.assign(mails, { [name]: 250 });
      await retry();
      await until(async () => mails.received.length === 1 && (await jobs()).length === 0);
    },
  );

  test.for([550, 554])(
    "says %i of the recipient, a mail is dropped with a line in the log",
    async (answer) => {
      const warn = vi.spyOn(server.context.log, "warn");
      mails.answersRecipient = answer;
      await happen();
      await tell(server, bob);
      await settled(server);
      expect([mails.received, (await jobs()).length]).toEqual([[], 0]);
      const [{ id } = { id: "" }] = (await bob.request("GET /notifications")).json.items;
      const line = `a mail was dropped: the server said ${answer}`;
      expect(warn.mock.calls).toEqual([[{ notification: id }, line]]);
    },
  );

  test("hangs, other work continues, and only a few mails are sent at once", { tags: "long" }, async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    mails.held = promise;
    for (let nth = 0; nth < 8; nth++) await queued();
    await retry();
    await until(() => mails.open === 4);
    await server.sql`select graphile_worker.add_job('housekeeping')`;
    await until(
      async () =>
        (await server.sql`select from graphile_worker.jobs where task_identifier = 'housekeeping'`).count ===
        0,
    );
    expect([mails.open, mails.received.length]).toEqual([4, 0]);
    resolve();
    await until(async () => {
      await retry();
      return mails.received.length === 8;
    });
    await settled(server);
    expect(new Set(mails.received.map(({ fields }) => fields.get("message-id"))).size).toBe(8);
  });
});

test("a mail that a killed process was sending is sent again, with the same Message-ID", async () => {
  await happen();
  await tell(server, bob);
  await settled(server);
  const { eventId } = await newestEvent(server);
  const key = `${eventId} ${bob.id}`;
  // What a killed process leaves: a job that stays locked for hours.
  await server.sql`
    select graphile_worker.add_job('mail', ${JSON.stringify({ noticeId: eventId, userId: bob.id })}::text::json,
      job_key := ${key}, run_at := now() + interval '1 hour')`;
  await server.sql`
    update graphile_worker._private_jobs set run_at = now() - interval '3 minutes', locked_at = now() - interval '3 minutes',
      locked_by = 'killed' where key = ${key}`;
  await sweepNotifications(server.sql);
  await until(() => mails.received.length === 2);
  const [first, second] = mails.received.map(({ fields }) => fields.get("message-id"));
  expect(second).toBe(first);
});

describe("with a hostile name or address,", () => {
  const hostile = "x\r\nBcc: victim@mail.example\r\n\r\nHello";

  test("a mail gets no further header and recipient", async () => {
    await queued();
    const { eventId } = await newestEvent(server);
    await server.sql`update notices set title = ${hostile}, body = ${hostile}, url = ${hostile} where id = ${eventId}`;
    await server.sql`update users set handle = ${hostile} where id = ${bob.id}`;
    await retry();
    await until(() => mails.received.length === 1);
    await server.sql`update users set handle = 'bob' where id = ${bob.id}`;
    const [mail] = mails.received;
    expect(mail?.to).toEqual(["bob@mail.example"]);
    expect(mail?.fields.get("subject")).toBe("x Bcc: victim@mail.example Hello");
    expect([...(mail?.fields.keys() ?? [])]).not.toContain("bcc");
  });

  test.for([
    "bob@mail.example, victim@mail.example",
    "bob@mail.example\r\nRCPT TO:<victim@mail.example>",
    "<victim@mail.example>",
    '"a b"@mail.example',
    "group: victim@mail.example;",
    "bob",
    "@mail.example",
    "bob@",
    "",
  ])("no mail is sent if it is not exactly one address: %j", async (email) => {
    const warn = vi.spyOn(server.context.log, "warn");
    await queued();
    await server.sql`update users set email = ${email} where id = ${bob.id}`;
    await retry();
    await until(async () => (await jobs()).length === 0);
    expect(mails.received).toEqual([]);
    expect(warn.mock.calls.flat()).toContain("a mail was dropped: the address is not valid");
  });
});

describe("a login", () => {
  const password = "pass:w@rd";
  const send = (config: Partial<MailConfig>, to = mails) =>
    openMailer({ ...to.config, login: { user: "promptreg", pass: password }, ...config }).send({
      id: "ntf_1",
      to: "bob@mail.example",
      subject: "Hello",
      text: "Hello",
      unsubscribeUrl: "https://prompts.example/u",
    });
  const startGuarded = (accepts: boolean) =>
    startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password: given }, _, done) =>
        accepts && given === password ? done(null, { user: username }) : done(new Error(`wrong: ${given}`)),
    });

  test("is sent to the server", async () => {
    const guarded = await startGuarded(true);
    expect(await send({}, guarded)).toBeNull();
    expect(guarded.received.length).toBe(1);
    await guarded.stop();
  });

  test("that is refused stands in the log of a worker when it starts, without its password", async () => {
    const guarded = await startGuarded(false);
    const lines: string[] = [];
    const worker = await startTestServer({
      works: true,
      mail: { ...guarded.config, login: { user: "promptreg", pass: password } },
      log: { write: (line) => void lines.push(line) },
    });
    await until(async () => lines.length > 0);
    const [{ msg, err } = { msg: "", err: { message: "" } }] = lines.map(
      (line) => JSON.parse(line) as { msg: string; err: { message: string } },
    );
    expect([msg, err.message]).toEqual([
      "no mail can be sent until that is mended",
      "The mail server lets nobody in: EAUTH 535.",
    ]);
    expect(lines.join("")).not.toContain(password);
    await worker.stop();
    await guarded.stop();
  });

  test("that is refused loses no mail, and its password is in no error", async () => {
    const guarded = await startGuarded(false);
    const error = await send({}, guarded).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toBe("The mail server did not accept the mail: EAUTH 535.");
    expect((error as Error).cause).toBeUndefined();
    await guarded.stop();
  });

  test("is not sent to another machine without TLS", async () => {
    const auth = vi.fn<() => void>();
    const open = await startMailServer({ allowInsecureAuth: true, onAuth: auth });
    // The same machine, with an address that does not look like a loopback address.
    await expect(send({ host: "0.0.0.0" }, open)).rejects.toThrow("ETLS");
    expect([auth.mock.calls, open.received]).toEqual([[], []]);
    await open.stop();
  });
});
