import { statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createListener } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  cleanUp,
  connectTo,
  isAlive,
  launch,
  newDataDir,
  postmasterOf,
  run,
  type ServerProcess,
  start,
  until,
} from "../../test/process.ts";
import { exchange } from "../../test/requests.ts";

/** One data folder for all, used in turn: what one statement leaves is where the next begins. */
const dataDir = newDataDir();
const env = { PROMPTREG_DATA_DIR: dataDir, PROMPTREG_UNSAFE_WEBHOOKS: "1" };
let server: ServerProcess;
let token: string;
let receiver: Server;
/** The names of the events that came to our endpoint. */
const received: unknown[] = [];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    received.push(request.headers["service-event"]);
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  await cleanUp();
  receiver.closeAllConnections();
  receiver.close();
});

const startServer = async (more = {}) => {
  server = await start(["serve"], { ...env, ...more });
};
const call = (route: string, body?: object) => exchange(server.url, route, { token, body });
const readPrompt = () => call("GET /prompts/alice/greeting");
const moveLabel = (name: string) => call(`PUT /prompts/alice/greeting/labels/${name}`, { versionNumber: 1 });
const statusOf = async (path: string) => (await fetch(`${server.url}${path}`)).status;
const postmasterPid = () => postmasterOf(dataDir)?.pid ?? 0;
/** That a server, or a command, ended well and left nothing running. */
function expectGone(pid: number) {
  expect(pid).toBeGreaterThan(1);
  expect([isAlive(pid), postmasterOf(dataDir)]).toEqual([false, undefined]);
}

describe("a first start", () => {
  test("makes a data folder for its owner alone", async () => {
    await startServer();
    const modes = [".", "secret", "postgres"].map((name) => statSync(join(dataDir, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o700]);
  });

  test("says where it serves, where the data are, how one gets a token, and what is unsafe", async () => {
    const said = server.output();
    expect(said).toMatch(/^Promptreg serves http:\/\/127\.0\.0\.1:\d+, ready in \d+ ms\.$/m);
    expect(said).toContain(`${dataDir} (embedded PostgreSQL)`);
    expect(said).toContain("promptreg-server token create --user <handle>");
    expect(said).toMatch(/^ +WARNING .*PROMPTREG_UNSAFE_WEBHOOKS=1/m);
    expect([await statusOf("/healthz"), await statusOf("/readyz")]).toEqual([200, 200]);
  });
});

describe("a command beside a running server", () => {
  test("gives an account and a token, alone on standard output, and leaves PostgreSQL running", async () => {
    const pid = postmasterPid();
    expect(await run(["user", "add", "alice"], env)).toMatchObject({ code: 0, stdout: "" });
    const made = await run(["token", "create", "--user", "alice"], env);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^prt_\w+\n$/) });
    token = made.stdout.trim();
    expect((await call("GET /me")).json.handle).toBe("alice");
    expect(postmasterPid()).toBe(pid);
  });

  test("a second server on the same data says so, ends with 1, and does not touch the first", async () => {
    const files = [{ path: "PROMPT.md", content: "Hello." }];
    const prompt = { kind: "text", slug: "greeting", title: "Greeting", files };
    expect((await call("POST /prompts", prompt)).status).toBe(201);
    const second = await run(["serve"], env);
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(second.stderr).toMatch(/^promptreg-server: Another server already serves [^\n]+\n$/);
    expect((await readPrompt()).status).toBe(200);
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    expect((await call("POST /webhooks", { url })).status).toBe(201);
  });
});

describe("a server that is asked to end", () => {
  test("finishes the request under way, refuses new ones, and leaves nothing running", async () => {
    const pid = postmasterPid();
    const other = connectTo(dataDir);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const holding = other.begin(async (sql) => {
      await sql`select from prompts for update`;
      const moved = moveLabel("production");
      await until(async () => (await other`select from pg_locks where not granted`).count > 0);
      void held.then(() => {});
      server.child.kill("SIGTERM");
      await until(() =>
        fetch(`${server.url}/healthz`, { headers: { connection: "close" } }).then(
          () => false,
          () => true,
        ),
      );
      release();
      return { moved };
    });
    const { moved } = await holding;
    expect((await moved).status).toBe(201);
    const releasedAt = Date.now();
    expect((await server.ended).code).toBe(0);
    console.log("end after", Date.now() - releasedAt);
    await other.end({ timeout: 1 });
    expect(server.output()).toContain("Stopped.");
    expectGone(pid);
  });
});

describe("without a running server", () => {
  test("a command reads the data, and stops PostgreSQL again", async () => {
    const { code, stdout } = await run(["user", "list", "--json"], env);
    expect([code, JSON.parse(stdout)]).toEqual([0, [expect.objectContaining({ handle: "alice" })]]);
    expect(postmasterOf(dataDir)).toBeUndefined();
  });

  test("a taken port is named, and no PostgreSQL stays behind", async () => {
    const taken = createListener();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as AddressInfo;
    const refused = await run(["serve"], { ...env, PORT: `${port}` });
    taken.close();
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(
      new RegExp(`^promptreg-server: Port ${port} on 127.0.0.1 is taken\\. .*\n$`),
    );
    expect(postmasterOf(dataDir)).toBeUndefined();
  });

  test("a server that is asked to end before it is ready leaves nothing running", async () => {
    const starting = launch(["serve"], env);
    await until(() => postmasterOf(dataDir));
    const pid = postmasterPid();
    expect((await starting.stop()).code).toBe(0);
    expectGone(pid);
  });

  test("a command does not stop PostgreSQL under a server that has come up meanwhile", async () => {
    const command = launch(["user", "list", "--json"], env);
    await until(() => postmasterOf(dataDir));
    command.child.kill("SIGSTOP");
    await startServer();
    command.child.kill("SIGCONT");
    expect((await command.ended).code).toBe(0);
    expect((await readPrompt()).status).toBe(200);
  });
});

describe("after a crash", () => {
  test("of the server, the next one takes over the PostgreSQL that was left, with all that is in it", async () => {
    const pid = postmasterPid();
    expect((await server.stop("SIGKILL")).code).toBe(null);
    expect(isAlive(pid)).toBe(true);
    await startServer();
    expect(postmasterPid()).toBe(pid);
    expect((await readPrompt()).json.title).toBe("Greeting");
  });

  test.each([1, 2, 3])(
    "of PostgreSQL, requests are told to come again until it is back by itself",
    async (n) => {
      received.length = 0;
      const pid = postmasterPid();
      process.kill(pid, "SIGKILL");
      const statuses = new Set<number>();
      const t = Date.now();
      await until(async () => {
        const answers = await Promise.all(Array.from({ length: 12 }, () => readPrompt()));
        for (const { status, headers } of answers) {
          statuses.add(status);
          if (status === 503) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
        }
        expect(await statusOf("/healthz")).toBe(200);
        return statuses.has(503) && answers.every(({ status }) => status === 200);
      });
      console.log("back after", Date.now() - t);
      expect([...statuses].sort()).toEqual([200, 503]);
      expect(postmasterPid()).not.toBe(pid);
      expect((await moveLabel(`after-${n}`)).status).toBe(201);
      await until(() => received.includes("prompt.label.moved"));
      console.log("delivered after", Date.now() - t);
      expect(await statusOf("/readyz")).toBe(200);
    },
  );

  test("of PostgreSQL, a server that is asked to end at once still leaves nothing running", async () => {
    const pid = postmasterPid();
    process.kill(pid, "SIGKILL");
    await until(() => postmasterPid() !== pid);
    expect((await server.stop("SIGINT")).code).toBe(0);
    expectGone(pid);
  });
});
