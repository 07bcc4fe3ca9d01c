import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parseDatabaseUrl } from "../../database/connection.ts";
import { startEmbedded } from "../../database/embedded.ts";
import { connect } from "../../database/open.ts";
import { countLock, type FixtureServer, startFixtures } from "../../../test/fixtures.ts";

/** A PostgreSQL of its own, because this test kills it. */
const folder = mkdtempSync(join(tmpdir(), "promptreg-away-"));
let server: FixtureServer;
let token: string;
let url: string;

const start = (port?: number) =>
  startEmbedded(folder, { binariesDir: process.env["PROMPTREG_TEST_POSTGRES_BINARIES"], port });
const startAgain = () => start(Number(new URL(url).port));
const kill = () =>
  process.kill(Number.parseInt(readFileSync(join(folder, "postgres/postmaster.pid"), "utf8"), 10), "SIGKILL");

beforeAll(async () => {
  ({ url } = await start());
  server = await startFixtures({ database: { url, drop: async () => {} }, migrates: true });
  ({ token } = await server.real.join("alice"));
});
afterAll(async () => {
  await server.stop();
  await (await startAgain()).stop();
  rmSync(folder, { recursive: true });
});

const read = () => server.real.anonymous("GET /prompts/alice/hello");
const write = () => server.request("POST /counts/away", { token, body: { said: "go" } });

describe("while the database is down", () => {
  test("a running request and all later ones get 503 with Retry-After", async () => {
    expect((await write()).json.count).toBe(1);
    const holder = connect(parseDatabaseUrl(url));
    await holder`select pg_advisory_lock(${countLock})`;
    const underWay = write();
    const waiting = await vi.waitUntil(async () => {
      const [row] = await holder<{ pid: number }[]>`
        select pid from pg_locks where locktype = 'advisory' and not granted`;
      return row;
    });
    // The waiting session first: when the holder's session ends, it would get the lock.
    process.kill(waiting.pid, "SIGKILL");
    kill();
    const answers = [await underWay, await read(), await write()];
    await holder.end({ timeout: 0 });
    for (const { status, headers, json } of answers) {
      expect([status, json.error.code]).toEqual([503, "unavailable"]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });

  test("requests that need no database are answered", async () => {
    expect((await server.request("GET /text")).status).toBe(200);
    expect((await fetch(`${server.real.url}/healthz`)).status).toBe(200);
    const report = vi.spyOn(server.real.context.failures, "report");
    const ready = await fetch(`${server.real.url}/readyz`);
    expect(report.mock.lastCall?.[1]).toMatchObject({ operation: "/readyz", status: 503 });
    expect([ready.status, (await ready.json()).error.message]).toEqual([
      503,
      "The database does not answer: neither requests nor jobs can be done until it does.",
    ]);
  });
});

describe("when it is back at its address", () => {
  test("everything works again, and the interrupted write left nothing", { tags: "long" }, async () => {
    await startAgain();
    expect((await read()).status).toBe(404);
    expect((await write()).json.count).toBe(2);
    await vi.waitFor(async () => expect((await fetch(`${server.real.url}/readyz`)).status).toBe(200), 5_000);
    expect(server.takeFaults()).toEqual([]);
  });
});
