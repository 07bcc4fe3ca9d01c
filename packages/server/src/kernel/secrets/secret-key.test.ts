import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  createDatabase,
  type Person,
  startTestServer,
  type TestDatabase,
  type TestServer,
} from "../../../test/harness.ts";
import { exchange } from "../../../test/requests.ts";
import { listen } from "../../../test/waiting.ts";
import { readConfig } from "../../config.ts";
import { parseDatabaseUrl } from "../../database/connection.ts";
import { connect } from "../../database/open.ts";
import { startServer } from "../../server.ts";
import { openSecretBox } from "./secret-box.ts";
import { forgetSecret, requireSecret } from "./secret-key.ts";

const right = "the secret under which webhook secrets were encrypted";
const wrong = "a secret that somebody took for it";

let database: TestDatabase;
let server: TestServer;
let alice: Person;
let webhookId: string;
let received = 0;
const log: { msg: string; operation?: string; webhookId?: string; err?: { message: string } }[] = [];
let receiverUrl: string;
const receiver = createServer((_, response) => {
  received++;
  response.end();
});

const start = (secret: string, duties: { works?: boolean } = {}) =>
  startTestServer({
    database,
    secret,
    ...duties,
    log: { write: (line) => void log.push(JSON.parse(line) as (typeof log)[number]) },
  });

beforeAll(async () => {
  receiverUrl = await listen(receiver);
  database = await createDatabase();
  server = await start(right);
  alice = await server.join("alice");
  webhookId = await makeWebhook();
});
afterAll(async () => {
  await server.stop();
  await database.drop();
  receiver.close();
});

async function makeWebhook(): Promise<string> {
  return (await alice.request("POST /webhooks", { body: { url: receiverUrl } })).json.id as string;
}
/** Changes the stored key id only: the secret stays encrypted with the same key. */
const setKeyId = (id: string) =>
  server.sql`update webhooks set secret_key_id = ${id} where id = ${webhookId}`;
const needsNew = "some webhooks need a new secret: theirs was encrypted with another PROMPTREG_SECRET";
const said = () => log.filter(({ msg }) => msg === needsNew).length;

describe("a start with another PROMPTREG_SECRET", () => {
  test("is refused with a message that says what to do, and shows no secret", async () => {
    const refusal = await start(wrong).catch((error: Error) => error);
    expect(refusal).toMatchObject({ name: "DatabaseSetupError" });
    expect((refusal as Error).message).toMatch(
      /^PROMPTREG_SECRET is wrong: .* Set it to the right one\. .*secret forget/,
    );
    expect((refusal as Error).message).not.toMatch(/somebody|were encrypted under which/);
    await (await start(right)).stop();
    expect(said()).toBe(0);
  });

  test("logs a warning if only some webhooks need the other one", async () => {
    const other = await makeWebhook();
    await setKeyId("000000000000");
    await (await start(right)).stop();
    expect(said()).toBe(1);
    await setKeyId("ffffffffffff");
    await (await start(right)).stop();
    expect(said()).toBe(2);
    await alice.request(`DELETE /webhooks/${other}`);
  });

  test("logs a warning if webhooks were imported without their secret", async () => {
    await setKeyId("");
    await forgetSecret(server.sql);
    await (await start(wrong)).stop();
    expect(said()).toBe(3);
  });
});

describe("a start before anything is encrypted", () => {
  test("is refused with another PROMPTREG_SECRET than the first one had, until that is forgotten", async () => {
    const empty = await createDatabase();
    const startOn = async (secret: string, secondSecret: string | null = null) =>
      (await startTestServer({ database: empty, secret, secondSecret })).stop();
    const both = await Promise.allSettled([startOn(right), startOn(wrong)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const [first, other] = both[0].status === "fulfilled" ? [right, wrong] : [wrong, right];
    await startOn(first);
    await expect(startOn(other)).rejects.toThrow(
      /other processes of this database have another one\. Its key is \w{12}, theirs is \w{12}\./,
    );
    // While it is replaced, some have the one first, and some the other.
    await startOn(other, first);
    await startOn(first, other);
    await startOn(other, first);
    await expect(startOn(first)).rejects.toThrow("PROMPTREG_SECRET is wrong");
    const sql = connect(parseDatabaseUrl(empty.url));
    await forgetSecret(sql);
    await sql.end();
    await startOn(first);
    await empty.drop();
  });
});

test("a standby, which can mark nothing, starts with the secret that is marked, or before one is", async () => {
  const one = await server.sql.reserve();
  const startWith = (secret: string, second: string | null = null) =>
    requireSecret(one, { secrets: openSecretBox(secret, second), log: pino({ level: "silent" }) });
  await setKeyId("");
  await forgetSecret(one);
  await one`set default_transaction_read_only = on`;
  expect(await startWith(right)).toBeUndefined();
  await one`set default_transaction_read_only = off`;
  await startWith(right);
  await one`set default_transaction_read_only = on`;
  expect(await startWith(right)).toBeUndefined();
  expect(await startWith(wrong, right)).toBeUndefined();
  await expect(startWith(wrong)).rejects.toThrow("PROMPTREG_SECRET is wrong");
  await one`set default_transaction_read_only = off`;
  await one`set lock_timeout = 1`;
  await server.sql.begin(async (holder) => {
    await holder`lock table secret_mark in share mode`;
    await expect(startWith(wrong, right)).rejects.toMatchObject({ code: "55P03" });
  });
  await one`reset all`;
  one.release();
});

describe("a start without the file of the secret", () => {
  const startIn = (dataDir: string) =>
    startServer(
      {
        config: readConfig({ PROMPTREG_DATA_DIR: dataDir, PORT: "0" }),
        database: { address: parseDatabaseUrl(database.url), place: "", close: async () => {} },
        log: pino({ level: "silent" }),
      },
      { serves: false, works: false, migrates: false },
    );

  test("is refused while webhooks need it, and writes no new one", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "promptreg-secret-"));
    await setKeyId("ffffffffffff");
    await expect(startIn(dataDir)).rejects.toThrow(/secret is missing: .*Restore it from a backup/);
    expect(existsSync(join(dataDir, "secret"))).toBe(false);
    await setKeyId("");
    await (await startIn(dataDir)).stop();
    expect(existsSync(join(dataDir, "secret"))).toBe(true);
    await rm(dataDir, { recursive: true });
  });
});

describe("a webhook whose secret needs another PROMPTREG_SECRET", () => {
  test("says so in its deliveries and in the log, and works again with a new secret", async () => {
    log.length = 0;
    await forgetSecret(server.sql);
    const worker = await start(wrong, { works: true });
    const ping = async () => {
      const { json } = await alice.request(`POST /webhooks/${webhookId}/test`);
      return vi.waitFor(async () => {
        const shown = (await alice.request(`GET /webhooks/${webhookId}/deliveries/${json.id}`)).json;
        expect(shown.status).not.toBe("pending");
        return shown;
      }, 10_000);
    };
    expect(await ping()).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/Give it a new one/),
    });
    expect(log.find(({ operation }) => operation === "drain")).toMatchObject({
      webhookId,
      err: { message: "the secret of a webhook was encrypted with another PROMPTREG_SECRET" },
    });
    expect(received).toBe(0);
    // On the server with the worker's secret.
    await exchange(worker.url, `PATCH /webhooks/${webhookId}`, {
      token: alice.token,
      body: { rotateSecret: true },
    });
    expect(await ping()).toMatchObject({ status: "succeeded" });
    expect(received).toBe(1);
    await worker.stop();
  });
});
