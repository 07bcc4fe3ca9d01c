import { statSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createListener } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCommandLine } from "../../test/commands.ts";
import {
  cleanUp,
  connectTo,
  isAlive,
  launch,
  newDataDir,
  postmasterOf,
  reasonOf,
  run,
  type ServerProcess,
  start,
} from "../../test/process.ts";
import { promptOf } from "../../test/prompts.ts";
import { exchange } from "../../test/requests.ts";
import { listen, until } from "../../test/waiting.ts";

/** One data folder for all, used in turn: where one statement ends, the next begins. */
const dataDir = newDataDir();
const env = { PROMPTREG_DATA_DIR: dataDir, PROMPTREG_UNSAFE_WEBHOOKS: "1", ACCOUNT_STORAGE_MB: "5" };
let server: ServerProcess;
let token: string;
/** How many deliveries came to our endpoint. */
let received = 0;
/** The endpoint answers when this is over. */
let held = Promise.resolve();
const receiver = createServer((_, response) => {
  received++;
  void held.then(() => response.end());
});

let receiverUrl: string;
beforeAll(async () => {
  receiverUrl = await listen(receiver);
});
afterAll(async () => {
  await cleanUp();
  receiver.closeAllConnections();
  receiver.close();
});

const startServer = async () => {
  server = await start(["serve"], env);
};
/** Runs what ends by itself in this process, which takes less than one of its own. */
async function runHere(args: string[], given: Record<string, string>) {
  const commands = openCommandLine(given);
  return commands.run(...args).finally(() => commands.close());
}
const call = (route: string, body?: object) => exchange(server.url, route, { token, body });
const readPrompt = () => call("GET /prompts/alice/greeting");
const moveLabel = (name: string) => call(`PUT /prompts/alice/greeting/labels/${name}`, { versionNumber: 1 });
const statusOf = async (path: string) => (await fetch(`${server.url}${path}`)).status;
const postmasterPid = () => postmasterOf(dataDir)?.pid ?? 0;
function killPostgres(): number {
  const pid = postmasterPid();
  process.kill(pid, "SIGKILL");
  return pid;
}
async function query<T>(act: (sql: ReturnType<typeof connectTo>) => Promise<T>): Promise<T> {
  const sql = connectTo(dataDir);
  try {
    return await act(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
/** A job under way when PostgreSQL dies leaves its delivery under a lease, for a minute. */
const settle = () =>
  query((sql) => until(async () => (await sql`select from deliveries where status = 'pending'`).count === 0));
/** Waited for, because the system takes a moment to strike out a process that has ended. */
async function expectGone(pid: number) {
  expect(pid).toBeGreaterThan(1);
  expect(postmasterOf(dataDir)).toBeUndefined();
  await until(() => !isAlive(pid));
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
    expect(said).toContain(`${join(dataDir, "secret")}, made now: keep it with your backups`);
    expect(said).toContain("promptreg-server token create --user <handle>");
    expect(said).toMatch(/^ +WARNING .*PROMPTREG_UNSAFE_WEBHOOKS=1/m);
    expect([await statusOf("/healthz"), await statusOf("/readyz")]).toEqual([200, 200]);
  });
});

test.each(["serve", "import /tmp"])(
  "%s names a data folder that cannot be made, and ends",
  async (command) => {
    const { code, stderr } = await runHere(command.split(" "), { PROMPTREG_DATA_DIR: "/proc/mine" });
    expect(stderr).toContain("The data folder /proc/mine cannot be made (ENOENT). Set PROMPTREG_DATA_DIR");
    expect(code).toBe(1);
  },
);

describe("beside a running server", () => {
  test("commands make an account and a token, alone on standard output, and leave PostgreSQL running", async () => {
    const pid = postmasterPid();
    expect(await run(["user", "add", "alice"], env)).toMatchObject({ code: 0, stdout: "" });
    const made = await run(["token", "create", "--user", "alice"], env);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^prt_\w+\n$/) });
    token = made.stdout.trim();
    expect((await call("GET /me")).json).toMatchObject({
      handle: "alice",
      quotas: { bytes: { limit: 5e6 } },
    });
    expect(postmasterPid()).toBe(pid);
  });

  test("a second one on the same data says so, ends with 1, and does not touch the first", async () => {
    const prompt = promptOf("greeting", { title: "Greeting", visibility: "private" });
    expect((await call("POST /prompts", prompt)).status).toBe(201);
    const second = await run(["serve"], env);
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(reasonOf(second)).toMatch(/^Another server already uses [^\n]+$/);
    expect((await readPrompt()).status).toBe(200);
  });
});

describe("a server that is asked to end", () => {
  test("finishes the request under way, refuses new ones, and leaves nothing running", async () => {
    const pid = postmasterPid();
    const moved = await query((sql) =>
      sql.begin(async (holder) => {
        await holder`select from prompts for update`;
        const moving = moveLabel("production");
        await until(async () => (await sql`select from pg_locks where not granted`).count > 0);
        server.child.kill("SIGTERM");
        await until(() =>
          statusOf("/healthz").then(
            () => false,
            () => true,
          ),
        );
        // Asked again, when it no longer takes that for the same signal by another way.
        await holder`select pg_sleep(1.1)`;
        server.child.kill("SIGTERM");
        // Not awaited in here: it waits for us.
        return { moving };
      }),
    );
    expect((await moved.moving).status).toBe(201);
    expect((await server.ended).code).toBe(0);
    expect(server.output()).toContain("Stopped.");
    await expectGone(pid);
  });

  test("before it is ready, and twice, leaves nothing running either", { tags: "long" }, async () => {
    const starting = launch(["serve"], env);
    await until(() => postmasterOf(dataDir));
    const pid = postmasterPid();
    starting.child.kill("SIGTERM");
    expect((await starting.stop()).code).toBe(0);
    await expectGone(pid);
  });
});

describe("without a running server", () => {
  test("a command reads the data, and stops PostgreSQL again", { tags: "long" }, async () => {
    const { code, stdout } = await run(["user", "list", "--json"], env);
    expect([code, JSON.parse(stdout)]).toEqual([0, [expect.objectContaining({ handle: "alice" })]]);
    expect(postmasterOf(dataDir)).toBeUndefined();
  });

  test("commands at once all succeed, and the last one stops PostgreSQL", { tags: "long" }, async () => {
    const endings = await Promise.all([0, 1].map(() => run(["user", "list", "--json"], env)));
    expect(endings.map(({ code }) => code)).toEqual([0, 0]);
    expect(postmasterOf(dataDir)).toBeUndefined();
  });

  test("a taken port is named, and no PostgreSQL stays behind", async () => {
    const taken = createListener();
    const { port } = new URL(await listen(taken));
    const refused = await runHere(["serve"], { ...env, PORT: port });
    taken.close();
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(reasonOf(refused)).toMatch(new RegExp(`^Port ${port} on 127.0.0.1 is already in use\\. .*$`));
    expect(postmasterOf(dataDir)).toBeUndefined();
  });

  test.each([
    ["HOST", { HOST: "192.0.2.7" }],
    ["PROMPTREG_DATA_DIR", { PROMPTREG_DATA_DIR: "/dev/null/data" }],
  ])("a %s that is not to be had is named", async (name, wrong) => {
    const refused = await runHere(["serve"], { ...env, PORT: "0", ...wrong });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(reasonOf(refused)).toMatch(new RegExp(` Set ${name} to [^\n]*$`));
    expect(postmasterOf(dataDir)).toBeUndefined();
  });

  test("a command does not stop PostgreSQL under a server that came up meanwhile", {
    tags: "long",
  }, async () => {
    const command = launch(["user", "list", "--json"], env);
    await until(() => postmasterOf(dataDir)?.isReady);
    const pid = postmasterPid();
    command.child.kill("SIGSTOP");
    await startServer();
    command.child.kill("SIGCONT");
    expect((await command.ended).code).toBe(0);
    expect((await readPrompt()).status).toBe(200);
    expect(postmasterPid()).toBe(pid);
  });
});

describe("after a crash", () => {
  test("of the server, the next one takes over the PostgreSQL that was left, with all that is in it", {
    tags: "long",
  }, async () => {
    const pid = postmasterPid();
    await query((sql) => sql`alter role promptreg set client_min_messages = debug5`);
    expect((await server.stop("SIGKILL")).code).toBe(null);
    expect(isAlive(pid)).toBe(true);
    await startServer();
    expect(postmasterPid()).toBe(pid);
    expect((await readPrompt()).json.title).toBe("Greeting");
    // What PostgreSQL has to say meanwhile is not for whoever reads the log.
    expect(server.output()).not.toMatch(/DEBUG|a dependency said/);
    await query((sql) => sql`alter role promptreg reset client_min_messages`);
  });

  test("of PostgreSQL, and of the next, requests are told to come again until it is back by itself", {
    tags: "long",
  }, async () => {
    expect((await call("POST /webhooks", { url: receiverUrl })).status).toBe(201);
    for (const label of ["first", "second"]) {
      await settle();
      const killed = killPostgres();
      const statuses = new Set<number>();
      await until(async () => {
        expect(await statusOf("/healthz")).toBe(200);
        const answers = await Promise.all(Array.from({ length: 12 }, readPrompt));
        for (const { status, headers } of answers) {
          statuses.add(status);
          if (status !== 200) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
        }
        // Where requests are slow, all of them may have waited until it was back, and none was refused.
        return postmasterPid() !== killed && answers.every(({ status }) => status === 200);
      });
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      await until(async () => (await statusOf("/readyz")) === 200);
      const before = received;
      expect((await moveLabel(label)).status).toBe(201);
      await until(() => received > before);
    }
  });

  test("of PostgreSQL during a delivery, a server that is asked to end still leaves nothing running", {
    tags: "long",
  }, async () => {
    await settle();
    const { promise, resolve: release } = Promise.withResolvers<void>();
    held = promise;
    const before = received;
    await moveLabel("third");
    await until(() => received > before);
    const killed = killPostgres();
    release();
    // The worker noticed that it cannot record what it sent.
    await until(() => /"operation":"(worker|drain|job )/.test(server.output().slice(-4_000)));
    let pid = killed;
    await until(() => {
      const postmaster = postmasterOf(dataDir);
      if (postmaster?.isReady) pid = postmaster.pid;
      return pid !== killed;
    });
    expect((await server.stop("SIGINT")).code).toBe(0);
    await expectGone(pid);
  });
});
