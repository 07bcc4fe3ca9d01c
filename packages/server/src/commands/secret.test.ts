import { createServer } from "node:http";
import { verifySync } from "@promptreg/core/webhooks/node";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type CommandLine, openCommandLine } from "../../test/commands.ts";
import { createDatabase, type Person, startTestServer, type TestDatabase } from "../../test/harness.ts";
import { publish } from "../../test/prompts.ts";
import { exchange } from "../../test/requests.ts";
import { listen, until } from "../../test/waiting.ts";
import { parseDatabaseUrl } from "../database/connection.ts";
import { connect } from "../database/open.ts";
import { unsubscribeUrl } from "../groups/notifications/token.ts";
import { openSecretBox } from "../kernel/secrets/secret-box.ts";

const former = "the secret that was used until now, long enough";
const present = "the secret that is used from now on, long enough";

let database: TestDatabase;
let commands: CommandLine;
let alice: Person;
const secretsOf: string[] = [];
const signed: { body: Buffer; signature: string }[] = [];
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request
    .on("data", (chunk: Buffer) => chunks.push(chunk))
    .on("end", () => {
      signed.push({ body: Buffer.concat(chunks), signature: String(request.headers["service-signature"]) });
      response.end();
    });
});

const start = (secret: string, secondSecret: string | null = null) =>
  startTestServer({ database, secret, secondSecret });
type Server = Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
  const url = await listen(receiver);
  database = await createDatabase();
  const server = await start(former);
  alice = await server.join("alice");
  for (const slug of ["one", "two", "three"]) await publish(alice, slug);
  for (let nth = 0; nth < 3; nth++)
    secretsOf.push((await alice.request("POST /webhooks", { body: { url } })).json.secret);
  await server.stop();
  commands = openCommandLine({
    DATABASE_URL: database.url,
    PROMPTREG_SECRET: present,
    PROMPTREG_SECOND_SECRET: former,
  });
});
afterAll(async () => {
  commands.close();
  await database.drop();
  receiver.close();
});

/** Whether a ping of each webhook arrives with a signature of its own secret. */
async function delivers(server: Server): Promise<boolean[]> {
  signed.length = 0;
  const call = (route: string) => exchange(server.url, route, { token: alice.token });
  const { json } = await call("GET /webhooks");
  for (const { id } of json.items as { id: string }[]) await call(`POST /webhooks/${id}/test`);
  await server.workOff();
  return secretsOf.map((secret) =>
    signed.some(({ body, signature }) => {
      try {
        verifySync(body, signature, secret);
        return true;
      } catch {
        return false;
      }
    }),
  );
}

/** The next page of a list that a server began. */
const cursorOf = async (server: Server) =>
  (await exchange(server.url, "GET /prompts?limit=1", { token: alice.token })).json.nextCursor as string;
const goesOn = async (server: Server, cursor: string) =>
  (await exchange(server.url, `GET /prompts?limit=1&cursor=${cursor}`, { token: alice.token })).status;
const linkOf = ({ context }: Server) =>
  unsubscribeUrl(context, { userId: alice.id, list: "digest", expiresAt: Date.now() / 1_000 + 60 }).replace(
    /^.*\/api\/v1/,
    "",
  );
const opens = async (server: Server, link: string) => (await exchange(server.url, `GET ${link}`)).status;

test("a secret is replaced without a webhook, a cursor or a link that stops working on the way", {
  tags: "long",
}, async () => {
  const [before, during] = [await start(former, present), await start(present, former)];
  const [cursors, links] = [
    [await cursorOf(before), await cursorOf(during)],
    [linkOf(before), linkOf(during)],
  ];
  for (const server of [before, during]) {
    expect(await delivers(server)).toEqual([true, true, true]);
    for (const cursor of cursors) expect(await goesOn(server, cursor)).toBe(200);
    for (const link of links) expect(await opens(server, link)).toBe(200);
  }
  await before.stop();
  const { code, stderr } = await commands.run("secret", "rotate");
  expect([code, stderr]).toEqual([0, expect.stringContaining("Encrypted the secrets of 3 webhooks anew")]);
  expect(await delivers(during)).toEqual([true, true, true]);
  await during.stop();
  const after = await start(present);
  expect(await delivers(after)).toEqual([true, true, true]);
  // What only the former secret signed has ended.
  expect([await goesOn(after, cursors[0] ?? ""), await opens(after, links[0] ?? "")]).toEqual([400, 404]);
  const audited = await after.sql`select data from audit_log where action = 'secret.rotate'`;
  expect(audited).toMatchObject([{ data: { webhooks: 3 } }]);
  await after.stop();
  expect((await commands.run("secret", "rotate")).stderr).toContain("of 0 webhooks");
});

test("rotate takes as many webhooks as there are, also those that were deleted", {
  tags: "long",
}, async () => {
  const sql = connect(parseDatabaseUrl(database.url));
  await sql`
    insert into webhooks select copy.* from webhooks w, generate_series(1, 1001) n,
      jsonb_populate_record(w, jsonb_build_object('id', 'whk_of_many_' || n, 'deleted_at', clock())) copy
    where w.id = (select min(id) from webhooks)`;
  for (const [secret, second] of [
    [former, present],
    [present, former],
  ] as const) {
    vi.stubEnv("PROMPTREG_SECRET", secret);
    vi.stubEnv("PROMPTREG_SECOND_SECRET", second);
    expect((await commands.run("secret", "rotate")).stderr).toContain("the secrets of 1004 webhooks anew");
    const box = openSecretBox(secret);
    const rows = await sql<{ encrypted: Buffer }[]>`
      select secret_encrypted as encrypted from webhooks where secret_key_id = ${box.keyId}`;
    expect(new Set(rows.map(({ encrypted }) => box.decrypt(encrypted)))).toEqual(new Set(secretsOf));
    expect(rows).toHaveLength(1004);
  }
  await sql`delete from webhooks where id like 'whk_of_many_%'`;
  await sql.end();
});

test("rotate leaves alone what gets another secret at that moment", async () => {
  const sql = connect(parseDatabaseUrl(database.url));
  const [before, after] = [openSecretBox(former), openSecretBox(present)];
  let rotated: ReturnType<CommandLine["run"]> | undefined;
  await sql`update webhooks set secret_encrypted = ${before.encrypt("another")}, secret_key_id = ${before.keyId}`;
  await sql.begin(async (replacing) => {
    await replacing`update webhooks set secret_encrypted = ${after.encrypt("newer")}, secret_key_id = ${after.keyId}`;
    rotated = commands.run("secret", "rotate");
    await until(async () => {
      const waiting = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting.count > 0;
    });
  });
  expect((await rotated)?.stderr).toContain("of 0 webhooks");
  await sql.end();
});

test("forget goes on with a new secret where the one until now is lost, and nowhere else", async () => {
  const server = await start(present, former);
  const needing = async () => (await server.sql`select from webhooks where secret_key_id = ''`).count;
  const refused = await commands.run("secret", "forget");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("nothing is lost")]);
  await expect(start("a third secret, which is long enough too")).rejects.toThrow("secret forget");
  vi.stubEnv("PROMPTREG_SECRET", "a third secret, which is long enough too");
  const { code, stderr } = await commands.run("secret", "forget");
  expect([code, stderr]).toEqual([0, expect.stringContaining("3 webhooks need new secrets")]);
  expect(await needing()).toBe(3);
  await (await start("a third secret, which is long enough too")).stop();
  await expect(start(present)).rejects.toThrow("PROMPTREG_SECRET is wrong");
  const audited = await server.sql`select data from audit_log where action = 'secret.forget'`;
  expect(audited).toMatchObject([{ data: { webhooks: 3 } }]);
  await server.stop();
  vi.stubEnv("PROMPTREG_SECRET", present);
});

test("rotate says what it needs", async () => {
  vi.stubEnv("PROMPTREG_SECOND_SECRET", "");
  const { code, stderr } = await commands.run("secret", "rotate");
  expect([code, stderr]).toEqual([1, expect.stringContaining("Set PROMPTREG_SECRET to the new secret")]);
});
