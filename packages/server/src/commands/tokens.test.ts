import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../test/harness.ts";
import { type CommandLine, environmentOf, openCommandLine } from "../../test/commands.ts";
import { run as runProcess } from "../../test/process.ts";

let server: TestServer;
let commands: CommandLine;

beforeAll(async () => {
  server = await startTestServer();
  commands = openCommandLine(environmentOf(server.database));
  await server.sql`insert into users (handle, role) values ('alice', 'user'), ('root', 'admin')`;
});
afterAll(async () => {
  commands.close();
  await server.stop();
});

const run = (...args: string[]) => commands.run("token", ...args);
const me = (token: string) => server.anonymous("GET /me", { headers: { authorization: `Bearer ${token}` } });

describe("promptreg-server token", () => {
  test("create prints a token that works, alone on standard output", async () => {
    const args = ["token", "create", "--user", "alice", "--name", "laptop"];
    const { code, stdout, stderr } = await runProcess(args, environmentOf(server.database));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^prt_[0-9A-Za-z]{42}\n$/);
    expect(stderr).not.toContain(stdout.trim());
    expect((await me(stdout.trim())).json).toMatchObject({
      handle: "alice",
      token: { name: "laptop", scopes: ["read", "write"], role: "user", expiresAt: null },
    });
  });

  test("create takes scopes, an end, and a role that the account holds", async () => {
    const options = ["--scopes", "evals:write, read,read", "--expires-in", "0.5", "--role", "moderator"];
    const { stdout } = await run("create", "--user", "root", ...options);
    const { token } = (await me(stdout.trim())).json;
    expect(token).toMatchObject({ scopes: ["evals:write", "read"], role: "moderator" });
    const [row] = await server.sql`
      select extract(epoch from expires_at - created_at)::int as seconds from tokens where id = ${token.id}`;
    expect(row).toEqual({ seconds: 43_200 });
  });

  test("create and revoke leave traces without the token", async () => {
    const { stdout } = await run("create", "--user", "alice", "--name", "traced");
    const { id } = (await me(stdout.trim())).json.token;
    await run("revoke", id);
    const rows = await server.sql`select action, data from audit_log where target = ${id} order by id`;
    expect(rows.map(({ action }) => action)).toEqual(["token.create", "token.revoke"]);
    expect(rows[0]?.["data"]).toMatchObject({ scopes: ["read", "write"], role: "user" });
    expect(JSON.stringify(rows)).not.toContain(stdout.trim().slice(4));
  });

  test("create refuses, in one sentence, what a token cannot have", { tags: "long" }, async () => {
    const refused = [
      ["--user", "nobody"],
      ["--user", "alice", "--scopes", "read,admin"],
      ["--user", "alice", "--scopes", ""],
      ["--user", "alice", "--expires-in", "soon"],
      ["--user", "alice", "--expires-in", "-1"],
      ["--user", "alice", "--expires-in", "0"],
      ["--user", "alice", "--expires-in", "3650.1"],
      ["--user", "alice", "--role", "moderator"],
      ["--user", "alice", "--role", "king"],
      ["--user", "root", "--role", "king"],
      ["--user", "alice", "--prompts", "bob/*"],
      ["--user", "alice", "--prompts", "alice/re*ply"],
      ["--user", "alice", "--prompts", "reply"],
      // As a variable gives that is not set.
      ["--user", "alice", "--prompts", ""],
      ["--user", "alice", "--labels", "latest"],
      ["--user", "alice", "--labels", "no label"],
      ["--user", "root", "--role", "admin", "--no-create"],
    ];
    const before = await server.sql`select from tokens`;
    for (const options of refused) {
      const { code, stdout, stderr } = await run("create", ...options);
      expect([options, code, stdout]).toEqual([options, 1, ""]);
      expect(stderr).toMatch(/^promptreg-server: [^\n]+\n$/);
    }
    expect((await server.sql`select from tokens`).count).toBe(before.count);
  });

  test("create restricts a token to prompts, labels and to adding nothing, and list says so", async () => {
    const restricted = async (...options: string[]) => {
      const { stdout, stderr } = await run("create", "--user", "alice", "--name", "narrow", ...options);
      return { stderr, restriction: (await me(stdout.trim())).json.token.restriction };
    };
    const ci = await restricted(
      "--prompts",
      "alice/support-*, alice/reply",
      "--labels",
      "staging",
      "--no-create",
    );
    expect(ci.restriction).toEqual({ prompts: ["support-*", "reply"], labels: ["staging"], creates: false });
    const sentence = "alice/support-*, alice/reply; the labels staging; no new prompts or versions";
    expect(ci.stderr).toContain(sentence);
    expect((await run("list", "--user", "alice")).stdout).toContain(sentence);
    expect((await restricted("--labels", "staging")).restriction).toEqual({
      prompts: ["*"],
      labels: ["staging"],
      creates: true,
    });
    const [row] =
      await server.sql`select data from audit_log where action = 'token.create' order by id desc limit 1`;
    expect(row?.["data"]).toMatchObject({ restriction: { labels: ["staging"] } });
  });

  test("create says of a suspended account that its token only reads", async () => {
    await server.join("resting");
    await commands.run("user", "suspend", "resting");
    const { code, stderr } = await run("create", "--user", "resting");
    expect([code, stderr]).toEqual([0, expect.stringContaining("resting is suspended: the token reads")]);
  });

  test("list shows tokens by their beginning, never whole", async () => {
    const { stdout: made } = await run("create", "--user", "alice", "--name", "listed");
    const [table, json] = [
      await run("list", "--user", "alice"),
      await run("list", "--user", "alice", "--json"),
    ];
    for (const { stdout } of [table, json]) {
      expect(stdout).toContain(`${made.slice(0, 8)}…`);
      expect(stdout).not.toContain(made.slice(0, 9));
    }
    expect(
      (await server.sql`select from tokens t where t::text like ${`%${made.slice(8).trim()}%`}`).count,
    ).toBe(0);
  });

  test("revoke ends a token at once", async () => {
    const token = (await run("create", "--user", "alice")).stdout.trim();
    const { id, name } = (await me(token)).json.token;
    expect(name).toBe("token");
    expect((await run("revoke", id)).code).toBe(0);
    expect((await me(token)).json.error.code).toBe("invalid_token");
    const endOf = async () => (await server.sql`select revoked_at::text from tokens where id = ${id}`)[0];
    const first = await endOf();
    // Once more: it stays revoked since the first time.
    await run("revoke", id);
    expect(await endOf()).toEqual(first);
    const unknown = await run("revoke", "tok_unknown");
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain("No token tok_unknown.");
  });

  test("revoke --user ends all tokens of an account, and those of no other", async () => {
    await server.join("bob");
    const tokens = [];
    for (let nth = 0; nth < 2; nth++) tokens.push((await run("create", "--user", "bob")).stdout.trim());
    const other = (await run("create", "--user", "alice")).stdout.trim();
    const { code, stderr } = await run("revoke", "--user", "bob");
    expect([code, stderr]).toEqual([0, "Revoked 3 tokens of bob.\n"]);
    expect((await run("revoke", "--user", "bob")).stderr).toBe("Revoked 0 tokens of bob.\n");
    const audited =
      await server.sql`select data from audit_log where action = 'token.revoke_all' order by id`;
    expect(audited.map(({ data }) => data.tokens.length)).toEqual([3, 0]);
    for (const token of tokens) expect((await me(token)).json.error.code).toBe("invalid_token");
    expect((await me(other)).status).toBe(200);
    for (const args of [[], ["tok_x", "--user", "bob"]]) expect((await run("revoke", ...args)).code).toBe(1);
  });

  test("list says when a token was used last, to five minutes", { tags: "long" }, async () => {
    await server.setClock("2030-01-01T12:00:00Z");
    const { stdout } = await run("create", "--user", "alice", "--name", "used");
    const usedAt = async () => {
      await server.context.tokenUses.flush();
      const rows = JSON.parse((await run("list", "--user", "alice", "--json")).stdout);
      return rows.find(({ name }: { name: string }) => name === "used").used;
    };
    expect(await usedAt()).toBeNull();
    await me(stdout.trim());
    expect(await usedAt()).toBe("2030-01-01T12:00:00.000Z");
    await server.setClock("2030-01-01T12:04:00Z");
    await me(stdout.trim());
    expect(await usedAt()).toBe("2030-01-01T12:00:00.000Z");
    await server.setClock("2030-01-01T12:05:30Z");
    await me(stdout.trim());
    // Another process writes it, and nobody waits for that.
    await server.sql.begin(async (another) => {
      await another`select from tokens where name = 'used' for update`;
      expect(await usedAt()).toBe("2030-01-01T12:00:00.000Z");
    });
    await server.setClock("2030-01-01T12:06:00Z");
    await server.anonymous("GET /prompts", { headers: { authorization: `Bearer ${stdout.trim()}` } });
    expect(await usedAt()).toBe("2030-01-01T12:06:00.000Z");
  });

  test("create makes a token that ends when it was to, to the millisecond", async () => {
    await server.setClock("2031-01-01T00:00:00Z");
    const token = (await run("create", "--user", "alice", "--expires-in", "3650")).stdout.trim();
    const statuses = [];
    for (const at of ["2040-12-28T23:59:59.999Z", "2040-12-29T00:00:00.000Z"]) {
      await server.setClock(at);
      statuses.push((await me(token)).status);
    }
    expect(statuses).toEqual([200, 401]);
  });
});
