import { chmod, mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { startReal } from "./real.ts";
import { type Around, cli } from "./registry.ts";

const registry = await startReal();
afterAll(() => registry.close());
const { baseUrl: url, token } = registry;
const bob = await registry.createAccount("bob");
const ownerOnly = process.platform !== "win32";

let home = "";
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "promptreg-account-"));
});
const place = () => join(home, "promptreg", "config.json");
const kept = async () => JSON.parse(await readFile(place(), "utf8"));

/** Runs a command line whose only way to an account is what is kept here. */
const run = (args: readonly string[], around: Around = {}) =>
  cli(args, { fetch: registry.fetch, ...around, env: { XDG_CONFIG_HOME: home, ...around.env } });
const login = (stdin: string, ...options: string[]) => run(["login", "--url", url, ...options], { stdin });

describe("login", () => {
  test("keeps a piped token where it said before, for its owner's eyes only", async () => {
    const { exitCode, stdout, stderr } = await login(`${token}\n`);
    expect(stderr).toBe(
      `The token will be stored in ${place()}: as plain text, readable only by your user on this machine.\n`,
    );
    expect(stdout).toMatch(
      /^Logged in to https:\/\/promptreg\.test as ada: profile ada\ntoken ".*": read, write\n$/,
    );
    expect(exitCode).toBe(0);
    expect(await kept()).toEqual({ current: "ada", profiles: { ada: { url, token, handle: "ada" } } });
    if (ownerOnly) expect((await stat(place())).mode & 0o777).toBe(0o600);
    expect(await readdir(join(home, "promptreg"))).toEqual(["config.json"]);
    expect((await run(["whoami"])).stdout).toMatch(
      /^ada at https:\/\/promptreg\.test\n.* of profile ada: read, write\n$/,
    );
  });

  test("keeps it under the profile that a variable names", async () => {
    const { exitCode } = await run(["login", "--url", url], {
      stdin: `${token}\n`,
      env: { PROMPTREG_PROFILE: "home" },
    });
    expect(exitCode).toBe(0);
    expect(await kept()).toMatchObject({ current: "home", profiles: { home: { url, token } } });
  });

  test("asks on a terminal, without showing the token", async () => {
    const { asked, stdout, stderr } = await run(["login", "--url", `${url}/`, "--profile", "work"], {
      answers: [token],
    });
    expect(asked).toEqual([`Token for ${url}`]);
    expect(stdout + stderr).not.toContain(token);
    expect(await kept()).toMatchObject({ current: "work", profiles: { work: { url } } });
  });

  test.each([[[token]], [["--token", token]], [[`--token=${token}`]]])(
    "refuses a token on the command line, and does not repeat it",
    async (args) => {
      const { exitCode, stdout, stderr } = await run(["login", ...args]);
      expect(stderr).toContain("other users can read it");
      expect(stdout + stderr).not.toContain(token);
      expect(exitCode).toBe(2);
    },
  );

  test.each([
    ["that the server does not know", `prt_${"x".repeat(42)}`, 3, "Nothing was stored."],
    ["that is none", "two words", 2, "The token contains invalid characters."],
    ["that is empty", "\n", 2, "No token was given."],
  ])("keeps nothing of a token %s", async (_, stdin, exitCode, message) => {
    expect(await login(stdin)).toMatchObject({
      exitCode,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
    expect(await readdir(home)).toEqual([]);
  });

  test("renews the profile of the same account, and gives another account one of its own", async () => {
    await login(token, "--profile", "work");
    await login((await registry.createAccount("ada")).token);
    await login(bob.token);
    const { current, profiles } = await kept();
    expect({ current, names: Object.keys(profiles) }).toEqual({ current: "bob", names: ["work", "bob"] });
    expect(profiles.work.token).not.toBe(token);
  });

  test("replaces the account of a profile only after a yes", async () => {
    await login(token, "--profile", "work");
    expect((await login(bob.token, "--profile", "work")).exitCode).toBe(2);
    expect((await kept()).profiles.work.handle).toBe("ada");
    const { asked } = await run(["login", "--profile", "work"], { answers: [bob.token, true] });
    expect(asked.at(-1)).toBe(`The profile work is ada at ${url}. Replace it with bob at ${url}?`);
    expect((await kept()).profiles.work).toEqual({ url, token: bob.token, handle: "bob" });
  });

  test("tells accounts of one name at two servers apart, and goes to that which was said last", async () => {
    const other = "https://other.test";
    const fetch: typeof globalThis.fetch = async (input, init) =>
      registry.fetch(
        input instanceof Request
          ? new Request(input.url.replace(other, url), input)
          : String(input).replace(other, url),
        init,
      );
    const loginTo = (place: string | undefined, ...options: string[]) =>
      run(["login", ...options], {
        stdin: token,
        fetch,
        env: place === undefined ? {} : { PROMPTREG_URL: place },
      });
    await login(token);
    await loginTo(undefined, "--url", other);
    const both = { ada: { url, handle: "ada" }, "ada@other.test": { url: other, handle: "ada" } };
    expect(await kept()).toMatchObject({ current: "ada@other.test", profiles: both });
    expect((await loginTo(undefined, "--url", other, "--profile", "ada")).exitCode).toBe(2);
    expect((await loginTo(undefined)).stdout).toContain(`Logged in to ${other} as ada`);
    expect((await loginTo(other, "--profile", "ada")).stdout).toContain(`Logged in to ${url} as ada`);
    expect((await loginTo(other)).stdout).toContain(`Logged in to ${other} as ada`);
    expect(await kept()).toMatchObject({ current: "ada@other.test", profiles: both });
  });

  test.each(["a b", "/a", ""])("keeps nothing under the name %j", async (name) => {
    expect((await login(token, "--profile", name)).exitCode).toBe(2);
    expect(await readdir(home)).toEqual([]);
  });

  test("of many at once loses none", async () => {
    const names = Array.from({ length: 8 }, (_, n) => `p${n}`);
    await Promise.all(names.map((name) => login(token, "--profile", name)));
    expect(Object.keys((await kept()).profiles).sort()).toEqual(names);
  });

  test("says when a variable goes before it", async () => {
    const { stderr } = await run(["login", "--url", url], {
      stdin: token,
      env: { PROMPTREG_TOKEN: "prt_x" },
    });
    expect(stderr).toContain("The variable PROMPTREG_TOKEN is set and overrides this login.");
    const named = (profile: string, ...options: string[]) =>
      run(["login", "--url", url, ...options], { stdin: token, env: { PROMPTREG_PROFILE: profile } });
    const note = "The variable PROMPTREG_PROFILE is set and names another profile.";
    expect((await named("home", "--profile", "work")).stderr).toContain(note);
    expect((await named("work")).stderr).not.toContain(note);
  });

  test("in JSON tells all but the token", async () => {
    const { stdout } = await login(token, "--json");
    expect(JSON.parse(stdout)).toEqual({
      profile: "ada",
      server: url,
      handle: "ada",
      token: { name: expect.any(String), scopes: ["read", "write"], role: "user", expiresAt: null },
      file: place(),
    });
  });
});

describe("profiles", () => {
  const both = async () => {
    await login(token);
    await login(bob.token);
  };

  test("are listed, changed and removed", async () => {
    await both();
    expect((await run(["profile", "list"])).stdout).toBe(`ada\tada\t${url}\t\nbob\tbob\t${url}\tcurrent\n`);
    const use = await run(["profile", "use", "ada"]);
    expect([use.stdout, use.stderr]).toEqual([`ada is the current profile: ${url}\n`, ""]);
    const overridden = await run(["profile", "use", "ada", "--json"], {
      env: { PROMPTREG_TOKEN: "prt_x", PROMPTREG_URL: url },
    });
    expect(JSON.parse(overridden.stdout)).toEqual({ profile: "ada", handle: "ada", server: url });
    expect(overridden.stderr).toBe(
      "The variable PROMPTREG_TOKEN is set and overrides it.\nThe variable PROMPTREG_URL is set and overrides it.\n",
    );
    expect((await run(["whoami"])).stdout).toMatch(/^ada /);
    const { stdout, stderr } = await run(["logout"]);
    expect(stdout).toBe(`Removed the profile ada (${url}) and its token\n`);
    expect(stderr).toContain("The token stays valid until it is revoked on the server");
    expect(stderr).toContain("There is no current profile now. `promptreg profile use` selects one: bob.");
    expect(stderr).not.toContain("PROMPTREG_TOKEN");
    expect(Object.keys((await kept()).profiles)).toEqual(["bob"]);
    const last = await run(["logout", "--profile", "bob"], { env: { PROMPTREG_TOKEN: "prt_x" } });
    expect(last.stderr).toContain("The variable PROMPTREG_TOKEN is set and is still used.");
    expect(last.stderr).not.toContain("no current profile now");
    expect(await run(["logout"])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("no current profile to log out"),
    });
  });

  test("that are not there are told, with the one that was probably meant", async () => {
    await both();
    const use = await run(["profile", "use", "adaa"]);
    expect(use.stderr).toContain("Unknown profile adaa. Profiles: ada, bob. Did you mean ada?");
    expect(use.exitCode).toBe(2);
    expect((await run(["logout", "--profile", "adaa"])).exitCode).toBe(2);
    expect((await run(["logout", "--profile", "ada"])).exitCode).toBe(0);
    expect(await kept()).toEqual({
      current: "bob",
      profiles: { bob: { url, token: bob.token, handle: "bob" } },
    });
  });

  test.runIf(ownerOnly)("that others can read are warned of, once, until they cannot", async () => {
    await login(token);
    await chmod(place(), 0o644);
    const { stderr } = await run(["whoami"]);
    expect(stderr).toBe(
      `Other users of this machine can read the tokens in ${place()}. Run: chmod 600 ${place()}\n`,
    );
    await run(["profile", "use", "ada"]);
    expect((await run(["whoami"])).stderr).toBe("");
  });

  test("of a file that another command is writing are not waited for for ever", {
    tags: "long",
  }, async () => {
    await login(token);
    await writeFile(`${place()}.lock`, "12-00000000");
    const { exitCode, stderr } = await run(["profile", "use", "ada"]);
    expect(stderr).toContain(`If no other command runs, delete ${place()}.lock.`);
    expect(exitCode).toBe(6);
  });
});

describe("config", () => {
  test("tells what is in force and where it comes from, and no more of a token than its end", async () => {
    await login(token);
    const { stdout } = await run(["config", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      file: place(),
      server: { url, source: "profile ada" },
      profile: { name: "ada", source: "current" },
      token: { hint: `…${token.slice(-4)}`, source: "profile ada" },
    });
    const fromVariable = await run(["config"], { env: { PROMPTREG_TOKEN: "prt_short" } });
    expect(fromVariable.stdout).toContain("token\t…  from PROMPTREG_TOKEN\n");
    for (const [length, hint] of [
      [19, "…"],
      [20, "…xxxx"],
    ] as const) {
      const env = { PROMPTREG_TOKEN: "x".repeat(length) };
      expect(JSON.parse((await run(["config", "--json"], { env })).stdout).token.hint).toBe(hint);
    }
  });

  test("says why a token is not used", async () => {
    await login(token);
    const { stdout, stderr } = await run(["config", "--url", "https://other.example"]);
    expect(stdout).toContain("server\thttps://other.example  from --url\n");
    expect(stdout).toContain("token\tnone\n");
    expect(stderr).toBe(`The token of ada is for ${url}. It is not sent to another server.\n`);
  });

  test("knows what there is before any login", async () => {
    expect((await run(["config"])).stdout.split("\n")).toEqual([
      `file\t${place()}  no profiles in it`,
      "server\thttp://127.0.0.1:8787  from default",
      "profile\tnone",
      "token\tnone",
      "",
    ]);
    expect(JSON.parse((await run(["config", "--json"])).stdout)).toEqual({
      file: place(),
      server: { url: "http://127.0.0.1:8787", source: "default" },
      profile: null,
      token: null,
    });
  });
});

describe("whoami", () => {
  test("tells the account behind the token, the server, and where the token comes from", async () => {
    expect((await registry.cli(["whoami"])).stdout).toMatch(
      /^ada at .*\ntoken ".*" of PROMPTREG_TOKEN: read, write\n$/,
    );
    expect(JSON.parse((await registry.cli(["whoami", "--json"])).stdout)).toMatchObject({
      handle: "ada",
      token: { scopes: ["read", "write"] },
      server: url,
      tokenSource: "PROMPTREG_TOKEN",
    });
  });
});

describe("watch", () => {
  const watch = (...args: string[]) =>
    run(["watch", ...args], { env: { PROMPTREG_URL: url, PROMPTREG_TOKEN: bob.token } });
  const body = {
    slug: "followed",
    visibility: "public",
    kind: "text",
    title: "Followed",
    files: [{ path: "PROMPT.md", content: "Hello" }],
  };

  test("watches a prompt, lists the watched prompts, and stops", async () => {
    await registry.cli(["api", "prompts.create", "--body", JSON.stringify(body)]);
    expect((await watch("ada/followed")).stdout).toBe(
      "ada/followed is watched: versions and labels (releases)\n",
    );
    await watch("ada/followed", "--level", "all");
    expect((await watch("--list")).stdout).toMatch(/^ada\/followed\tall\t.*Z\tFollowed\n$/);
    expect((await watch("--list", "--level", "releases")).stderr).toBe("No prompt is watched.\n");
    const off = await watch("ada/followed", "--off", "--json");
    expect(JSON.parse(off.stdout)).toEqual({ ref: "ada/followed", watch: null });
    expect(JSON.parse((await watch("--list", "--json")).stdout)).toEqual({ items: [], hasMore: false });
  });

  test.each([
    [[]],
    [["ada/followed", "--list"]],
    [["--off", "--list"]],
    [["ada/followed", "--off", "--level", "all"]],
  ])("refuses %j as a mistake", async (args) => {
    expect((await watch(...args)).exitCode).toBe(2);
  });
});
