import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type CommandLine, environmentOf, openCommandLine } from "../../test/commands.ts";
import { type Person, startTestServer, type TestServer } from "../../test/harness.ts";
import { launch } from "../../test/process.ts";
import { publish } from "../../test/prompts.ts";
import type { Sql } from "../database/sql.ts";

let server: TestServer;
let alice: Person;
let env: Record<string, string>;
let commands: CommandLine;

beforeAll(async () => {
  server = await startTestServer();
  env = environmentOf(server.database);
  commands = openCommandLine(env);
  alice = await server.join("alice");
  await publish(alice, "greeting");
  await alice.request("PUT /prompts/alice/greeting/labels/production", { body: { versionNumber: 1 } });
  await run("user", "role", "alice", "moderator");
});
afterAll(async () => {
  commands.close();
  await server.stop();
});

const run = (...args: string[]) => commands.run(...args);

const linesOf = (stdout: string): any[] =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const add = (sql: Sql, action: string) =>
  sql`insert into audit_log (action, target, data) values (${action}, 'x', '{}')`;

describe("promptreg-server audit", () => {
  test("lists what was done last, by whom and by which token, and what an operator did", async () => {
    const { stdout } = await run("audit", "list", "--json");
    const [role, ...others] = JSON.parse(stdout);
    expect(role).toMatchObject({
      action: "user.role",
      actor: null,
      token: null,
      target: alice.id,
      data: { role: "moderator" },
    });
    expect(
      others.find((one: any) => one.action === "label.move" || one.action.startsWith("label")),
    ).toMatchObject({
      actor: { id: alice.id, handle: "alice" },
      token: { name: expect.any(String) },
      requestId: expect.any(String),
    });
    const addresses = await server.sql`
      select distinct length(ip_hash) as bytes from audit_log where actor_id = ${alice.id}`;
    expect([...addresses]).toEqual([{ bytes: 32 }]);
    const own = await run("audit", "list", "--account", "alice", "--limit", "1");
    expect(own.stdout.trim().split("\n")).toEqual([
      expect.stringMatching(/^id +at +actor +token +action +target$/),
      expect.stringMatching(/ alice /),
    ]);
    const roles = JSON.parse((await run("audit", "list", "--action", "user.role", "--json")).stdout);
    expect(roles.map(({ action }: { action: string }) => action)).toEqual(["user.role"]);
    expect((await run("audit", "list", "--limit", "none")).code).toBe(1);
    expect(await run("audit", "list", "--action", "none")).toEqual({
      code: 0,
      stdout: "",
      stderr: "None.\n",
    });
  });

  test("exports lines from the oldest on, without those beside which one may still be missing", async () => {
    expect(linesOf((await run("audit", "export")).stdout)).toEqual([]);
    await server.sql`update audit_log set at = at - interval '1 hour'`;
    await add(server.sql, "later");
    const all = linesOf((await run("audit", "export")).stdout);
    expect(all.length).toBeGreaterThan(1);
    expect(all.map(({ action }) => action)).not.toContain("later");
    expect(all.map(({ id }) => Number(id))).toEqual(all.map(({ id }) => Number(id)).sort((a, b) => a - b));
    const rest = linesOf((await run("audit", "export", "--after", all[0].id)).stdout);
    expect(rest).toEqual(all.slice(1));
    for (const id of ["x", "x1", "1x"])
      expect((await run("audit", "export", "--after", id)).stderr).toContain("--after is the id of an entry");
    expect((await run("audit", "list", "--limit", "1")).stdout).toMatch(/ operator +later/);
  });

  test("follows what comes, each once, also what is committed after one that began later", {
    tags: "long",
  }, async () => {
    const following = launch(["audit", "follow"], env);
    const actions = () => linesOf(following.output()).map(({ action }) => action as string);
    // It has begun when it writes.
    await vi.waitFor(
      async () => {
        await add(server.sql, "begin");
        expect(actions()).toContain("begin");
      },
      { timeout: 60_000, interval: 500 },
    );
    await server.sql.begin(async (slow) => {
      await add(slow, "slow");
      await add(server.sql, "fast");
      await vi.waitFor(() => expect(actions()).toContain("fast"), { timeout: 60_000 });
      expect(actions()).not.toContain("slow");
    });
    await vi.waitFor(() => expect(actions()).toContain("slow"), { timeout: 60_000 });
    // More than it reads at once, and all of it too new to be settled.
    await server.sql`
      insert into audit_log (action, target, data) select 'many', 'x', '{}' from generate_series(1, 2500)`;
    await add(server.sql, "last");
    await vi.waitFor(() => expect(actions()).toContain("last"), { timeout: 60_000 });
    expect(actions().filter((action) => action === "many").length).toBe(2500);
    const ids = linesOf(following.output()).map(({ id }) => id as string);
    expect(new Set(ids).size).toBe(ids.length);
    await following.stop("SIGINT");
  });
});
