import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../test/harness.ts";
import { type CommandLine, environmentOf, openCommandLine } from "../../test/commands.ts";
import { run as runProcess } from "../../test/process.ts";
import { publish } from "../../test/prompts.ts";
import { type Sender } from "../../test/requests.ts";
import { until } from "../../test/waiting.ts";
import { hashToken } from "../kernel/accounts/token.ts";

let server: TestServer;
let commands: CommandLine;

beforeAll(async () => {
  server = await startTestServer();
  commands = openCommandLine(environmentOf(server.database));
});
afterAll(async () => {
  commands.close();
  await server.stop();
});

const run = (...args: string[]) => commands.run(...args);

describe("promptreg-server user rename", () => {
  const whereTo = async (who: Sender, route: string) => {
    const { status, headers } = await who.request(route);
    return [status, headers.get("location")];
  };

  test("gives an account another handle, and every old address leads to the new one", async () => {
    const rita = await server.join("rita");
    await publish(rita, "open");
    const before = (await rita.request("GET /me")).headers.get("etag") ?? "";
    const { code, stderr } = await run("user", "rename", "rita", "rita-2");
    expect([code, stderr]).toEqual([0, "rita is now rita-2. Addresses with the old handle keep working.\n"]);
    expect((await rita.request("GET /me")).json.handle).toBe("rita-2");
    const api = `${server.url}/api/v1`;
    expect(await whereTo(server.nobody, "GET /users/rita")).toEqual([301, `${api}/users/rita-2`]);
    expect(await whereTo(server.nobody, "GET /prompts/rita/open?version=1")).toEqual([
      301,
      `${api}/prompts/rita-2/open?version=1`,
    ]);
    expect(await whereTo(server.nobody, "GET /prompts/rita/open/raw/PROMPT.md")).toEqual([
      301,
      `${api}/prompts/rita-2/open/raw/PROMPT.md`,
    ]);
    expect(await whereTo(rita, "DELETE /prompts/rita/open/watch")).toEqual([
      308,
      `${api}/prompts/rita-2/open/watch`,
    ]);
    const stale = await rita.request("PATCH /me", { body: { bio: "Hi" }, headers: { "if-match": before } });
    expect(stale.status).toBe(412);
    const rows = await server.sql`select action, data from audit_log where target = ${rita.id}`;
    expect(rows).toEqual([{ action: "user.rename", data: { from: "rita", to: "rita-2" } }]);
  });

  test("tells nobody but the owner where a private prompt went", async () => {
    const sam = await server.join("sam");
    await publish(sam, "secret", { visibility: "private" });
    await run("user", "rename", "sam", "sam-2");
    const route = "GET /prompts/sam/secret";
    expect(await whereTo(sam, route)).toEqual([301, `${server.url}/api/v1/prompts/sam-2/secret`]);
    for (const who of [await server.join("stranger"), server.nobody]) {
      expect(await whereTo(who, route)).toEqual([404, null]);
    }
  });

  test("leads from every handle there was, and back to an own one", async () => {
    const tess = await server.join("tess");
    for (const [from = "", to = ""] of [
      ["tess", "tess-2"],
      ["tess-2", "tess-3"],
      ["tess-3", "tess"],
    ]) {
      expect((await run("user", "rename", from, to)).code).toBe(0);
    }
    const api = `${server.url}/api/v1`;
    for (const old of ["tess-2", "tess-3"]) {
      expect(await whereTo(server.nobody, `GET /users/${old}`)).toEqual([301, `${api}/users/tess`]);
    }
    expect((await server.anonymous("GET /users/tess")).json.id).toBe(tess.id);
    expect((await run("user", "rename", "tess", "tess-2")).code).toBe(0);
    expect(await whereTo(server.nobody, "GET /users/tess")).toEqual([301, `${api}/users/tess-2`]);
  });

  test("never gives a handle to somebody else that was somebody's, and neither does add", async () => {
    await server.join("una");
    await server.join("vera");
    await run("user", "rename", "una", "una-2");
    const refused = await Promise.all([
      run("user", "add", "una"),
      run("user", "rename", "vera", "una"),
      run("user", "rename", "vera", "una-2"),
      run("user", "rename", "vera", "api"),
      run("user", "rename", "nobody-there", "somebody"),
    ]);
    expect(
      refused.map(({ code, stderr }) => [code, stderr.replace("promptreg-server: ", "").trim()]),
    ).toEqual([
      [1, "The handle una is taken."],
      [1, "The handle una is taken."],
      [1, "The handle una-2 is taken."],
      [1, expect.stringMatching(/^Invalid handle "api"\. /)],
      [1, expect.stringMatching(/^No account nobody-there\./)],
    ]);
    expect((await server.anonymous("GET /users/vera")).status).toBe(200);
  });

  test("gives one handle once, of several changes at the same time", async () => {
    for (const handle of ["wes", "xena"]) await server.join(handle);
    const wished = [
      ["add", "wanted"],
      ["rename", "wes", "wanted"],
      ["rename", "xena", "wanted"],
      ["rename", "wes", "wes-2"],
      ["add", "wes"],
    ];
    await Promise.all(wished.map((words) => run("user", ...words)));
    const [counted] = await server.sql`
      select count(*)::int as handles, count(distinct handle)::int as apart from (
        select handle from users union all select handle from former_handles
      ) given`;
    expect(counted?.["handles"]).toBe(counted?.["apart"]);
    const [owned] = await server.sql`select count(*)::int as count from users where handle = 'wanted'`;
    expect(owned?.["count"]).toBe(1);
  });
});

describe("promptreg-server user", () => {
  test("add makes an account and says what comes next", async () => {
    const args = ["user", "add", "alice", "--name", "Alice", "--email", "alice@example.com"];
    const { code, stderr } = await runProcess(args, environmentOf(server.database));
    expect([code, stderr]).toEqual([
      0,
      "Created the account alice. Next: promptreg-server token create --user alice\n",
    ]);
    const alice = await server.join("alice");
    expect((await alice.request("GET /me")).json).toMatchObject({
      name: "Alice",
      email: "alice@example.com",
    });
    const rows = await server.sql`select action, data from audit_log where target = ${alice.id}`;
    expect(rows).toEqual([{ action: "user.create", data: { handle: "alice" } }]);
  });

  test("add refuses a handle that is taken, reserved or none, in one sentence", async () => {
    await server.join("taken");
    const answers = await Promise.all(
      ["taken", "api", "Not--a-handle", "deleted-0123456789ab"].map((handle) => run("user", "add", handle)),
    );
    expect(answers.map(({ code, stdout }) => [code, stdout])).toEqual([
      [1, ""],
      [1, ""],
      [1, ""],
      [1, ""],
    ]);
    expect(answers[0]?.stderr).toBe("promptreg-server: The handle taken is taken.\n");
    for (const { stderr } of answers.slice(1)) {
      expect(stderr).toMatch(/^promptreg-server: Invalid handle "[^"]+"\. .*\n$/);
    }
  });

  test.each([
    ["--email", "nowhere", '"nowhere" is no e-mail address.'],
    ["--email", "a@example.com\nBcc: b@example.com", "is no e-mail address."],
    ["--name", "two\nlines", "A name is one line of at most 100 characters."],
    ["--name", "n".repeat(101), "A name is one line of at most 100 characters."],
  ])("add refuses %s %j, as the API does", async (option, value, reason) => {
    const { code, stderr } = await run("user", "add", "jens", option, value);
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
    expect((await server.sql`select from users where handle = 'jens'`).count).toBe(0);
  });

  test("list shows the accounts, as a table or as JSON", async () => {
    await server.join("listed", { role: "moderator", suspended: true });
    const [table, json] = [await run("user", "list"), await run("user", "list", "--json")];
    expect(table.stdout).toMatch(/^handle +name +role +suspended +created\n/);
    expect(table.stdout).toMatch(/^listed +moderator +20\S+Z +20\S+Z$/m);
    const listed = JSON.parse(json.stdout).find(({ handle }: { handle: string }) => handle === "listed");
    expect(listed).toMatchObject({ name: null, role: "moderator", suspended: expect.any(String) });
  });

  test("trust lets an account publish posts without a review, until it is undone", async () => {
    const author = await server.join("author");
    const statusOf = async () => {
      const { id } = (await author.request("POST /posts", { body: { title: "A post", body: "It says" } }))
        .json;
      return (await author.request(`POST /posts/${id}/submit`, { body: {} })).json.status;
    };
    expect(await statusOf()).toBe("in_review");
    await run("user", "trust", "author");
    expect(await statusOf()).toBe("published");
    await run("user", "trust", "author", "--undo");
    expect(await statusOf()).toBe("in_review");
    const rows = await server.sql`
      select action from audit_log where target = ${author.id} and action like 'user.%' order by id`;
    expect(rows.map(({ action }) => action)).toEqual(["user.trust", "user.distrust"]);
  });

  test("suspend keeps an account from changing anything until it is undone", async () => {
    const mallory = await server.join("mallory");
    const hook = async () =>
      (await mallory.request("POST /webhooks", { body: { url: "http://127.0.0.1:1/" } })).status;
    await run("user", "suspend", "mallory");
    expect([await hook(), (await mallory.request("GET /me")).status]).toEqual([403, 200]);
    const since = () => server.sql`select suspended_at::text from users where id = ${mallory.id}`;
    const first = await since();
    // Once more: it stays suspended since the first time.
    await run("user", "suspend", "mallory");
    expect(await since()).toEqual(first);
    await run("user", "suspend", "mallory", "--undo");
    expect(await hook()).toBe(201);
    const rows = await server.sql`select action from audit_log where target = ${mallory.id} order by id`;
    expect(rows.map(({ action }) => action)).toEqual(["user.suspend", "user.suspend", "user.unsuspend"]);
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
      'promptreg-server: Unknown role "king". Valid roles: user, moderator, admin.\n',
    ]);
  });

  test("tells servers at once that an account or its tokens changed, so that nobody waits with an old one", async () => {
    const [{ id }, mark] = [await server.join("nora"), await server.join("mark")];
    let heard = 0;
    let isMarked = false;
    const stop = server.context.bus.subscribe((changed) => {
      if (changed?.has(id)) heard += 1;
      if (changed?.has(mark.id)) isMarked = true;
    });
    // Until the server listens, nothing is heard.
    await until(async () => {
      await run("user", "email", "nora");
      return heard > 0;
    });
    // What is heard comes in the order of the changes.
    await run("user", "email", "mark");
    await until(() => isMarked);
    const token = await server.sql`select id from tokens where user_id = ${id}`;
    for (const words of [
      ["user", "email", "nora", "nora@example.com"],
      ["user", "storage", "nora", "5"],
      ["user", "role", "nora", "moderator"],
      ["user", "suspend", "nora"],
      ["user", "suspend", "nora", "--undo"],
      ["user", "rename", "nora", "nora-2"],
      ["token", "revoke", String(token[0]?.["id"])],
      ["token", "revoke", "--user", "nora-2"],
    ]) {
      heard = 0;
      const { code } = await run(...words);
      await until(() => heard > 0);
      expect([words, code, heard]).toEqual([words, 0, 1]);
    }
    stop();
  });

  test("changes nothing of another account, whatever it does to one", { tags: "long" }, async () => {
    const [nils, olga, pete] = await Promise.all(["nils", "olga", "pete"].map((name) => server.join(name)));
    for (const who of [nils, olga, pete])
      await who?.request("POST /webhooks", { body: { url: "http://127.0.0.1:1/" } });
    await run("user", "rename", "olga", "olga-2");
    await server.sql`
      update users set email = 'olga@example.com', role = 'admin', trusted_author = true, max_bytes = 5, suspended_at = clock()
      where id = ${olga?.id ?? ""}`;
    const others = async () =>
      await server.sql`
        select to_jsonb(u) from users u where id <> ${nils?.id ?? ""}
        union all select to_jsonb(w) from webhooks w where user_id <> ${nils?.id ?? ""}
        union all select to_jsonb(f) from former_handles f where user_id <> ${nils?.id ?? ""}
        union all select jsonb_build_object('id', id, 'revoked', revoked_at) from tokens where user_id <> ${nils?.id ?? ""}
        order by 1`;
    const [before, [token]] = await Promise.all([
      others(),
      server.sql`select id from tokens where user_id = ${nils?.id ?? ""}`,
    ]);
    for (const words of [
      ["user", "email", "nils", "nils@example.com"],
      ["user", "storage", "nils", "7"],
      ["user", "role", "nils", "moderator"],
      ["user", "trust", "nils"],
      ["user", "trust", "nils", "--undo"],
      ["user", "suspend", "nils"],
      ["user", "suspend", "nils", "--undo"],
      ["token", "revoke", String(token?.["id"])],
      ["token", "create", "--user", "nils"],
      ["token", "revoke", "--user", "nils"],
      ["user", "rename", "nils", "nils-2"],
      ["user", "rename", "nils-2", "nils"],
      ["user", "delete", "nils", "--works", "keep", "--yes"],
    ]) {
      expect([words, (await run(...words)).code]).toEqual([words, 0]);
      expect([words, await others()]).toEqual([words, before]);
    }
  });

  test("says that there is no such account, and where the accounts are listed", async () => {
    const { code, stderr } = await run("user", "suspend", "nobody");
    expect([code, stderr]).toEqual([
      1,
      "promptreg-server: No account nobody. List accounts with `promptreg-server user list`.\n",
    ]);
  });
});

describe("promptreg-server user show, email and import", () => {
  test("show says what an account has, and when its tokens were used", async () => {
    const tess = await server.join("tess");
    await publish(tess, "one");
    await publish(tess, "deleted");
    await tess.request("DELETE /prompts/tess/deleted");
    for (const path of ["/makes", "/posts", "/webhooks"]) {
      const body = path === "/webhooks" ? { url: "http://127.0.0.1:1/" } : { title: "One", body: "It says" };
      await tess.request(`POST ${path}`, { body });
      const { json } = await tess.request(`POST ${path}`, { body });
      await tess.request(`DELETE ${path}/${path === "/makes" ? json.slug : json.id}`);
    }
    await server.context.tokenUses.flush();
    await server.sql`update tokens set last_used_at = '2026-01-02T03:04:05Z' where user_id = ${tess.id}`;
    for (const ended of ["revoked", "expires"]) {
      const { token } = await server.join("tess");
      await server.sql`update tokens set ${server.sql(`${ended}_at`)} = clock() where hash = ${hashToken(token)}`;
    }
    const { stdout } = await run("user", "show", "tess", "--json");
    expect(JSON.parse(stdout)).toMatchObject([
      {
        handle: "tess",
        role: "user",
        email: null,
        prompts: 1,
        makes: 1,
        posts: 1,
        webhooks: 1,
        tokens: 1,
        used: "2026-01-02T03:04:05.000Z",
      },
    ]);
    expect((await run("user", "show", "tess")).stdout).toMatch(/^field +value\n/);
    expect((await run("user", "show", "nobody")).code).toBe(1);
  });

  test("email sets where mail goes to, and the audit log does not quote it", async () => {
    const uma = await server.join("uma");
    expect((await run("user", "email", "uma", "uma@example.com")).code).toBe(0);
    expect((await uma.request("GET /me")).json.email).toBe("uma@example.com");
    expect((await run("user", "email", "uma", "uma at example")).stderr).toContain("is no e-mail address");
    await run("user", "email", "uma");
    expect((await uma.request("GET /me")).json.email).toBeNull();
    const rows = await server.sql`
      select data from audit_log where action = 'user.email' and target = ${uma.id} order by id`;
    expect(rows.map(({ data }) => data)).toEqual([{ isSet: true }, { isSet: false }]);
  });

  const importing = async (text: string | Buffer, ...options: string[]) => {
    const folder = mkdtempSync(join(tmpdir(), "promptreg-people-"));
    writeFileSync(join(folder, "people.csv"), text);
    const ending = await run("user", "import", join(folder, "people.csv"), ...options);
    rmSync(folder, { recursive: true });
    return ending;
  };

  test("import creates accounts with tokens that work", async () => {
    const text = '\uFEFFhandle,name,email\r\nines,"Ines, the first",ines@example.com\r\nlars,,\r\n\r\n';
    const { code, stdout } = await importing(text, "--scopes", "read", "--expires-in", "30");
    expect(code).toBe(0);
    const [header, ...rows] = stdout.trim().split("\n");
    expect(header).toBe("handle,token");
    const [ines, lars] = await Promise.all(
      rows.map(async (row) => {
        const [, token = ""] = row.split(",");
        return (await server.anonymous("GET /me", { headers: { authorization: `Bearer ${token}` } })).json;
      }),
    );
    expect(ines).toMatchObject({ handle: "ines", name: "Ines, the first", email: "ines@example.com" });
    expect(lars).toMatchObject({
      handle: "lars",
      email: null,
      token: { scopes: ["read"], expiresAt: expect.any(String) },
    });
  });

  test("import of a file that is not there says so", async () => {
    const { code, stderr } = await run("user", "import", "/nowhere/people.csv");
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("/nowhere/people.csv cannot be read (ENOENT)."),
    ]);
  });

  test.each([
    ["handle\njens\nines", "The handle ines is taken."],
    ["handle\njens\njens", "Line 3: The handle jens is there twice."],
    ["handle,email\njens,nowhere", 'Line 2: "nowhere" is no e-mail address.'],
    ["handle\nJens!", "Line 2: Invalid handle"],
    ["name\nJens", "must be a header"],
    ["handle,role\njens,admin", 'It has "role".'],
    ["handle;name\njens;Jens", 'with commas between. It has "handle;name".'],
    ["handle,handle\njens,jan", 'It has "handle".'],
    ["handle,name\njens", "Line 2: It has 1 values, and the header 2."],
    ["handle,name\njens,a,b", "Line 2: It has 3 values, and the header 2."],
    ['handle,name\njens,"a\nb"', "A name is one line of at most 100 characters."],
    [`handle,name\njens,${"n".repeat(101)}`, "A name is one line"],
    [Buffer.from("handle,name\njens,M\xfcller\n", "latin1"), "people.csv is not UTF-8."],
    ['handle,name\njens,"a', "The file is no CSV: "],
    ["handle,name\n", "no accounts below its header"],
  ])("import of %j creates nobody, and says why", async (text, reason) => {
    const { code, stdout, stderr } = await importing(text);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(reason);
    expect((await server.sql`select from users where handle = 'jens'`).count).toBe(0);
  });
});

test("promptreg-server user suspend ends what waits for webhooks, and they stay disabled until their owner enables them", async () => {
  const yuri = await server.join("yuri");
  const hooks = [];
  for (let nth = 0; nth < 3; nth++)
    hooks.push((await yuri.request("POST /webhooks", { body: { url: "http://127.0.0.1:1/" } })).json);
  const [json, paused, deleted] = hooks;
  await yuri.request(`PATCH /webhooks/${paused.id}`, { body: { active: false } });
  await yuri.request(`DELETE /webhooks/${deleted.id}`);
  const revisionOf = async () => (await yuri.request(`GET /webhooks/${paused.id}`)).headers.get("etag");
  const before = await revisionOf();
  await publish(yuri, "told");
  const statusesOf = async () => {
    await server.workOff();
    const rows = await server.sql`select status from deliveries where webhook_id = ${json.id}`;
    return new Set(rows.map(({ status }) => status as string));
  };
  expect(await statusesOf()).toEqual(new Set(["pending"]));
  // When its next attempt would be due.
  await server.setClock(new Date(Date.now() + 3_600_000).toISOString());
  const { stderr } = await run("user", "suspend", "yuri");
  expect(stderr).toBe("yuri is suspended and cannot change anything. 1 of its webhooks are disabled.\n");
  expect(await statusesOf()).toEqual(new Set(["cancelled"]));
  await run("user", "suspend", "yuri", "--undo");
  expect((await yuri.request(`GET /webhooks/${json.id}`)).json).toMatchObject({
    active: false,
    disabledReason: "owner",
  });
  expect(await revisionOf()).toBe(before);
  const rows = await server.sql`select data from audit_log where target = ${yuri.id} order by id`;
  expect(rows.map(({ data }) => data)).toEqual([{ webhooks: 1 }, {}]);
});

describe("promptreg-server user storage", () => {
  const made = (slug: string) => ({
    kind: "text",
    slug,
    title: slug,
    files: [
      { path: "PROMPT.md", content: slug },
      { path: "notes.txt", content: slug.padEnd(600_000, "x") },
    ],
  });

  test("lets an account store more or less than others, at once, and shows it to both", {
    tags: "long",
  }, async () => {
    const [vera, will] = [await server.join("vera"), await server.join("will")];
    const limitOf = async (who: Sender) => (await who.request("GET /me")).json.quotas.bytes.limit;
    const before = (await vera.request("GET /me")).headers.get("etag");
    const usual = await limitOf(will);
    expect((await run("user", "storage", "vera", "1")).stderr).toBe("The files of vera can take 1 MB.\n");
    expect((await vera.request("GET /me")).headers.get("etag")).not.toBe(before);
    expect([await limitOf(vera), await limitOf(will)]).toEqual([1e6, usual]);
    expect((await vera.request("POST /prompts", { body: made("one") })).status).toBe(201);
    for (const [route, body] of [
      ["POST /prompts", made("two")],
      ["PUT /prompts/vera/one/draft", { files: made("three").files }],
    ] as const) {
      const { status, json } = await vera.request(route, { body });
      expect([status, json.error.code]).toEqual([409, "quota_exceeded"]);
      expect(json.error.message).toMatch(
        /^The files of this account can take 1\.0 MB here\. They take 0\.6 MB/,
      );
    }
    expect((await will.request("POST /prompts", { body: made("two") })).status).toBe(201);
    const [shown] = JSON.parse((await run("user", "show", "vera", "--json")).stdout);
    expect(shown.maxBytes).toBe(1e6);
    expect((await run("user", "storage", "vera", "default")).code).toBe(0);
    const audited = await server.sql`select data from audit_log where action = 'user.storage' order by id`;
    expect(audited.map(({ data }) => data).slice(-2)).toEqual([{ maxBytes: 1e6 }, { maxBytes: null }]);
    expect([
      await limitOf(vera),
      (await vera.request("POST /prompts", { body: made("two") })).status,
    ]).toEqual([usual, 201]);
  });

  test("takes megabytes or default, and nothing else", { tags: "long" }, async () => {
    for (const megabytes of ["-1", "1.5", "1e3", "lots", "1000000000", "5 ", "x5"]) {
      const { code, stderr } = await run("user", "storage", "vera", megabytes);
      expect([megabytes, code]).toEqual([megabytes, 1]);
      expect(stderr).toContain("is neither a number of megabytes");
    }
    expect((await run("user", "storage", "nobody-there", "5")).code).toBe(1);
  });
});
