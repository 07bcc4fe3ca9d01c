import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../test/harness.ts";
import { run as runCommand } from "../../test/process.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Runs `promptreg-server` as an operator would, beside the running server. */
const run = (...args: string[]) =>
  runCommand([...args], {
    DATABASE_URL: server.database.url,
    PROMPTREG_SECRET: "a secret of tests",
  });

describe("promptreg-server user", () => {
  test("add makes an account and says what comes next", async () => {
    const { code, stderr } = await run(
      "user",
      "add",
      "alice",
      "--name",
      "Alice",
      "--email",
      "alice@example.com",
    );
    expect([code, stderr]).toEqual([
      0,
      "Made the account alice. Now: promptreg-server token create --user alice\n",
    ]);
    const alice = await server.join("alice");
    expect((await alice.request("GET /me")).json).toMatchObject({
      name: "Alice",
      email: "alice@example.com",
    });
  });

  test("add refuses a handle that is taken, reserved or none, in one sentence", async () => {
    await server.join("taken");
    const answers = await Promise.all(
      ["taken", "api", "Not--a-handle"].map((handle) => run("user", "add", handle)),
    );
    expect(answers.map(({ code, stdout }) => [code, stdout])).toEqual([
      [1, ""],
      [1, ""],
      [1, ""],
    ]);
    expect(answers[0]?.stderr).toBe("promptreg-server: The handle taken is taken.\n");
    for (const { stderr } of answers.slice(1)) {
      expect(stderr).toMatch(/^promptreg-server: "[^"]+" cannot be a handle: .*\n$/);
    }
  });

  test("list shows the accounts, as a table or as JSON", async () => {
    await server.join("listed", { role: "moderator", suspended: true });
    const [table, json] = [await run("user", "list"), await run("user", "list", "--json")];
    expect(table.stdout).toMatch(/^handle +name +role +suspended +created\n/);
    expect(table.stdout).toMatch(/^listed +moderator +20\S+Z +20\S+Z$/m);
    const listed = JSON.parse(json.stdout).find(({ handle }: { handle: string }) => handle === "listed");
    expect(listed).toMatchObject({ name: null, role: "moderator", suspended: expect.any(String) });
  });

  test("suspend keeps an account from changing anything until it is undone", async () => {
    const mallory = await server.join("mallory");
    const hook = async () =>
      (await mallory.request("POST /webhooks", { body: { url: "http://127.0.0.1:1/" } })).status;
    await run("user", "suspend", "mallory");
    expect([await hook(), (await mallory.request("GET /me")).status]).toEqual([403, 200]);
    await run("user", "suspend", "mallory", "--undo");
    expect(await hook()).toBe(201);
  });

  test("role gives a role and leaves an audit row", async () => {
    const rosa = await server.join("rosa");
    expect((await run("user", "role", "rosa", "moderator")).code).toBe(0);
    expect((await rosa.request("GET /me")).json).toMatchObject({
      roles: ["user", "moderator"],
      token: { role: "user" },
    });
    const rows = await server.sql`select action, data from audit_log where target = ${rosa.id}`;
    expect(rows).toEqual([{ action: "user.role", data: { role: "moderator" } }]);
    const refused = await run("user", "role", "rosa", "king");
    expect([refused.code, refused.stderr]).toEqual([
      1,
      'promptreg-server: "king" is no role. There are user, moderator and admin.\n',
    ]);
  });

  test("says that there is no such account, and where the accounts are listed", async () => {
    const { code, stderr } = await run("user", "suspend", "nobody");
    expect([code, stderr]).toEqual([
      1,
      "promptreg-server: There is no account nobody. `promptreg-server user list` shows them.\n",
    ]);
  });
});
