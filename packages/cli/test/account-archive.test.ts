import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../server/test/harness.ts";
import { png } from "../../server/test/media.ts";
import { type Around, cli } from "./registry.ts";

const [here, there] = await Promise.all([startTestServer(), startTestServer()]);
const [ada, eve, his] = [await here.join("ada"), await there.join("eve"), await there.join("bob")];
const bob = await here.join("bob");
const root = await mkdtemp(join(tmpdir(), "promptreg-archive-"));
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await rm(root, { recursive: true });
});

const clientOf = (server: TestServer, token: string) => createClient({ baseUrl: server.url, token });
const [mine, hers] = [clientOf(here, ada.token), clientOf(there, eve.token)];

/** Runs a command while the worker reads what it uploads. */
async function run(server: TestServer, token: string, args: string[], around: Around = {}) {
  const running = cli(["account", ...args], {
    ...around,
    env: { PROMPTREG_URL: server.url, PROMPTREG_TOKEN: token },
  });
  let isOver = false;
  void running.finally(() => (isOver = true));
  await expect.poll(async () => (await server.workOff(), isOver), { timeout: 60_000 }).toBe(true);
  return running;
}
const exported = async (server: TestServer, token: string, name: string) => {
  const file = join(root, name);
  const done = await run(server, token, ["export", file, "--yes"]);
  expect(done).toMatchObject({ exitCode: 0 });
  expect(done.stdout).not.toMatch(/\b1 \w+s\b(?<!series)/);
  return file;
};
const imported = (file: string, ...options: string[]) => run(there, eve.token, ["import", file, ...options]);
const things = (json: string) =>
  JSON.parse(json).things as Record<string, { created: number; there: number }>;

const text = (content: string) => [{ path: "PROMPT.md", content }];
async function upload(server: TestServer, token: string, name = "a.png") {
  const body = new FormData();
  body.append("file", new Blob([png()]), name);
  const { id } = await clientOf(server, token).media.create({ body });
  await server.workOff();
  return id;
}

/** An account with one of everything. */
async function fill() {
  const create = (slug: string, more: object = {}) =>
    mine.prompts.create({
      body: { kind: "text", slug, title: slug, files: text(`${slug} one`), ...more } as never,
    });
  const of = (slug: string) => ({ owner: "ada", slug });
  await create("rich", {
    visibility: "public",
    summary: "All",
    tags: ["a"],
    license: "MIT",
    message: "First",
  });
  const files = [
    ...text("rich two"),
    { path: "scripts/run.sh", content: "#!/bin/sh\n", mode: "100755" as const },
    { path: "data/x.bin", content: Buffer.from([0, 255, 1]).toString("base64"), encoding: "base64" as const },
  ];
  await mine.prompts.versions.create({ ...of("rich"), body: { files, message: "Second" } });
  await mine.prompts.versions.yank({ ...of("rich"), n: 2, body: { reason: "Wrong" } });
  // The same as the one that is yanked: only that allows it.
  await mine.prompts.versions.create({ ...of("rich"), body: { files } });
  await mine.prompts.versions.create({ ...of("rich"), body: { files: text("rich four") } });
  await mine.prompts.labels.put({
    ...of("rich"),
    name: "production",
    body: { versionNumber: 3, reason: "Good" },
  });
  await mine.prompts.draft.put({ ...of("rich"), body: { files: text("rich five"), baseVersionNumber: 4 } });
  await create("secret");
  await create("sketch", { publish: false });
  const { id } = await mine.evals.datasets.create({
    body: { prompt: "ada/rich", name: "Cases: a/b", visibility: "public" },
  });
  await mine.evals.datasets.cases.create({
    id,
    body: { cases: [{ key: "one", variables: { a: 1 }, expected: "x", tags: ["t"], weight: 2 }] },
  });
  const [picture, cover, shot] = [
    await upload(here, ada.token),
    await upload(here, ada.token),
    await upload(here, ada.token),
  ];
  await mine.examples.create({
    ...of("rich"),
    body: { versionNumber: 3, title: "Ex", output: "Out", mediaIds: [shot] },
  });
  const series = await mine.posts.series.create({ body: { title: "Row", slug: "row" } });
  await here.sql`update users set trusted_author = true where handle = 'ada'`;
  const post = await mine.posts.create({
    body: {
      title: "Post",
      slug: "post",
      body: `See ![it](media:${picture})\n`,
      tags: ["b"],
      coverMediaId: cover,
      seriesId: series.id,
    },
  });
  await mine.posts.submit({ id: post.id, body: {} });
  await mine.posts.update({ id: post.id, body: { body: `Now ![it](media:${picture})\n` } });
  const other = await mine.posts.create({
    body: { title: "Other", slug: "other", body: "Mine\n", seriesId: series.id },
  });
  await mine.posts.series.reorder({ id: series.id, body: { postIds: [other.id, post.id] } });
  await clientOf(here, bob.token).prompts.create({
    body: { kind: "text", slug: "his", title: "His", visibility: "public", files: text("his") },
  });
  await mine.makes.create({
    body: {
      title: "Bot",
      slug: "bot",
      body: "# Bot\n",
      license: "MIT",
      prompts: [{ prompt: "ada/rich", versionNumber: 3, note: "Core" }, { prompt: "bob/his" }],
    },
  });
  await mine.makes.media.add({
    slug: "bot",
    body: { mediaId: await upload(here, ada.token), caption: "C", alt: "A" },
  });
  await mine.makes.media.add({ slug: "bot", body: { embedUrl: "https://vimeo.com/76979871" } });
  const file = new FormData();
  file.append("file", new Blob(["print(1)"]), "bot.py");
  file.append("label", "The bot");
  await mine.makes.files.add({ slug: "bot", body: file });
  await mine.makes.parts.add({
    slug: "bot",
    body: { name: "Wheel", quantity: 4, price: { amount: "6.00", currency: "EUR" } },
  });
  await mine.makes.update({ slug: "bot", body: { status: "published" } });
  const collection = await mine.collections.create({
    body: { title: "Best", description: "Of all", visibility: "public" },
  });
  for (const item of [
    { type: "prompt", id: "ada/rich", note: "Top" },
    { type: "make", id: "bot" },
    { type: "post", id: post.id },
    { type: "prompt", id: "bob/his" },
  ] as const)
    await mine.collections.items.add({ id: collection.id, body: item });
  await mine.collections.update({ id: collection.id, body: { coverMediaId: await upload(here, ada.token) } });
  await clientOf(here, bob.token).prompts.create({
    body: { kind: "text", slug: "hidden", title: "Hidden", visibility: "public", files: text("hidden") },
  });
  const on = (type: "prompt" | "version" | "make" | "post", id: string, body: string, parentId?: string) =>
    mine.comments.create({ body: { target: { type, id }, body, parentId: parentId ?? null } });
  const first = await on("prompt", "ada/rich", "On the prompt");
  await on("prompt", "ada/rich", "A reply", first.id);
  await on("version", "ada/rich@3", "On a version");
  await on("make", "bot", "On the make");
  await on("post", post.id, "On the post");
  await on("version", "bob/his@1", "On what is his");
  await on("prompt", "bob/hidden", "Before he hid it");
  await clientOf(here, bob.token).prompts.update({
    owner: "bob",
    slug: "hidden",
    body: { visibility: "private" },
  });
  await mine.stars.prompts.add(of("rich"));
  await mine.watch.put({ ...of("secret"), body: { level: "releases" } });
  await mine.watch.put({ owner: "bob", slug: "his", body: { level: "all" } });
  await mine.users.me.update({ body: { bio: "I write" } });
}
beforeAll(fill, 60_000);

/** The files of an archive as tar unpacks them. */
async function unpacked(file: string): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(root, "unpacked-"));
  await promisify(execFile)("tar", ["-xzf", file, "-C", folder]);
  const paths = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const contents = await Promise.all(
    paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path, "latin1")] as const),
  );
  return Object.fromEntries(contents.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** An archive without what an import cannot bring: times, ids, who it is of, where, and comments on what others made. */
const comparable = (files: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(files).map(([path, content]) => [
      path,
      content
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
        .replace(/\b[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}\b/g, "ID")
        .replace(/sha256:[0-9a-f]{32}\.[0-9a-f]{32}/g, "BASE")
        .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
        .replace(/http:\/\/127\.0\.0\.1:\d+/g, "SERVER")
        .replace(/\b(ada|eve)\b/g, "ME")
        .replace(/^.*"body":"(On what is his|Before he hid it)".*\n/gm, ""),
    ]),
  );

describe("account export", () => {
  test("writes an archive that tar opens, for its owner alone, with everything of the account", async () => {
    const file = join(root, "ada.tar.gz");
    const done = await run(here, ada.token, ["export", file, "--json"]);
    expect(JSON.parse(done.stdout).counts).toEqual({
      prompts: 3,
      versions: 5,
      datasets: 1,
      examples: 1,
      series: 1,
      posts: 2,
      makes: 1,
      collections: 1,
      comments: 7,
      stars: 1,
      watches: 2,
    });
    if (process.platform !== "win32") expect((await stat(file)).mode & 0o777).toBe(0o600);
    const files = await unpacked(file);
    expect(Object.keys(files)).toMatchSnapshot();
    expect(JSON.parse(files["prompts/rich/promptreg.json"] ?? "")).toMatchObject({
      prompt: "ada/rich",
      visibility: "public",
      license: "MIT",
    });
    expect(files["prompts/rich/versions/3/data/x.bin"]).toBe("\0\u00ff\u0001");
    expect(JSON.parse(files["prompts/rich/record.json"] ?? "")).toMatchObject({
      versions: [
        { n: 1, message: "First", author: "ada" },
        { yanked: { reason: "Wrong" } },
        { n: 3 },
        { n: 4 },
      ],
      labels: [{ name: "production", versionNumber: 3, reason: "Good" }],
      draft: { baseVersionNumber: 4 },
    });
    expect(files["posts/post/post.md"]).toContain("Now ![it](pictures/");
    expect(files["posts/post/published.md"]).toContain("See ![it](pictures/");
    expect(
      files["comments.jsonl"]
        ?.split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line).body),
    ).toEqual([
      "On the prompt",
      "A reply",
      "On a version",
      "On the make",
      "On the post",
      "On what is his",
      "Before he hid it",
    ]);
    const [shown, hidden] = files["comments.jsonl"]?.split("\n").slice(-3) ?? [];
    expect(JSON.parse(shown ?? "").target).toEqual({ type: "version", id: "bob/his@1" });
    expect(JSON.parse(hidden ?? "").target).toEqual({
      type: "prompt",
      id: expect.stringMatching(/^prm_\w{26}$/),
    });
    // Their owner watches all others at the level at which that begins.
    expect(files["watches.jsonl"]?.match(/"prompt":"[^"]+"/g)).toEqual([
      '"prompt":"ada/secret"',
      '"prompt":"bob/his"',
    ]);
  });

  test("asks before it takes the place of a file", { tags: "long" }, async () => {
    const file = await exported(here, bob.token, "bob.tar.gz");
    const before = await readFile(file);
    const again = await run(here, bob.token, ["export", file], { answers: [false] });
    expect(again).toMatchObject({ exitCode: 130, asked: [`Overwrite ${file}?`] });
    expect(await readFile(file)).toEqual(before);
  });
});

describe("account import", () => {
  test("says what it would do, and does nothing of it", { tags: "long" }, async () => {
    const file = join(root, "ada.tar.gz");
    const done = await imported(file, "--dry-run", "--json");
    expect(done.stderr).toBe("");
    expect(things(done.stdout)).toMatchObject({
      prompts: { created: 3 },
      versions: { created: 5 },
      posts: { created: 2 },
    });
    expect((await hers.users.me.get()).quotas).toMatchObject({
      prompts: { used: 0 },
      posts: { used: 0 },
      makes: { used: 0 },
    });
  });

  test("brings everything, private; lists what it cannot; and does nothing the second time", {
    tags: "long",
  }, async () => {
    const file = join(root, "ada.tar.gz");
    const done = await imported(file, "--json");
    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    expect(JSON.parse(done.stdout).leftOut).toEqual([
      { what: "the link of the make bot to bob/his@1", why: "it is not here" },
      { what: 'prompt bob/his of the collection "Best"', why: "it is not here" },
      ...["make", "post"].map((kind) => ({
        what: expect.stringMatching(`^the comment cmt_\\w+ on ${kind} `),
        why: "what it is on is a draft here: run it again when that is published",
      })),
      ...["version bob/his@1", "prompt prm_\\w+"].map((target) => ({
        what: expect.stringMatching(`^the comment cmt_\\w+ on ${target}$`),
        why: "others made what it is on, or it is gone",
      })),
      { what: "the watch of bob/his", why: "it is not here" },
    ]);
    const anonymous = createClient({ baseUrl: there.url, token: null });
    expect(await anonymous.prompts.list({ query: { owner: "eve" } })).toMatchObject({ items: [] });
    expect(await anonymous.makes.list({ query: { maker: "eve" } })).toMatchObject({ items: [] });
    expect(await anonymous.posts.list({ query: { author: "eve" } })).toMatchObject({ items: [] });
    expect(await anonymous.collections.list({ query: { owner: "eve" } })).toMatchObject({ items: [] });
    const again = await imported(file, "--json");
    expect(again.exitCode).toBe(0);
    for (const [kind, { created }] of Object.entries(things(again.stdout)))
      expect([kind, created]).toEqual([kind, 0]);
  });

  test("publishes what was public only with --publish and a yes; then an export there is the same", {
    tags: "long",
    timeout: 60_000,
  }, async () => {
    const file = join(root, "ada.tar.gz");
    const refused = await run(there, eve.token, ["import", file, "--publish"], { answers: [false] });
    expect(refused).toMatchObject({
      exitCode: 130,
      asked: ["Make 1 prompt, 1 make, 1 post, 1 collection readable to others?"],
      stderr: expect.stringContaining("Among it: 5 comments, which may mention others."),
    });
    await there.sql`update users set trusted_author = true where handle = 'eve'`;
    // What was missing is there now.
    await clientOf(there, his.token).prompts.create({
      body: { kind: "text", slug: "his", title: "His", visibility: "public", files: text("his") },
    });
    const done = await run(there, eve.token, ["import", file, "--publish"], {
      answers: [true],
      isTTY: true,
      columns: 80,
    });
    expect(done).toMatchObject({ exitCode: 0 });
    const told = stripVTControlCharacters(done.stdout);
    expect(told).toMatch(/^prompts +3 there already, 1 opened to others\n/);
    expect(told).toMatch(/\nposts +2 there already, 1 submitted\n/);
    expect(told).toMatch(/\nmakes +1 there already, 1 published\n/);
    const [before, after] = [
      await unpacked(file),
      await unpacked(await exported(there, eve.token, "eve.tar.gz")),
    ];
    const left = comparable(before);
    const right = comparable(after);
    expect(Object.keys(right)).toEqual(Object.keys(left));
    for (const [path, content] of Object.entries(left)) expect([path, right[path]]).toEqual([path, content]);
  });
});

describe("what is there already", () => {
  test("stays as it is where it is something else, and the exit code says so", { tags: "long" }, async () => {
    const zoe = await there.join("zoe");
    const own = clientOf(there, zoe.token);
    await own.prompts.create({
      body: { kind: "text", slug: "rich", title: "Mine", visibility: "public", files: text("mine") },
    });
    await own.posts.create({ body: { title: "Mine", slug: "post", body: "Mine\n" } });
    const done = await run(there, zoe.token, ["import", join(root, "ada.tar.gz"), "--json"]);
    expect(done.exitCode).toBe(5);
    const { leftOut } = JSON.parse(done.stdout);
    expect(leftOut).toEqual(
      expect.arrayContaining([
        { what: "the prompt rich", why: "another prompt has this address" },
        { what: "the post post", why: "another post of yours has this slug" },
        { what: "the make bot", why: "a make of somebody else has this slug" },
        { what: 'prompt ada/rich of the collection "Best"', why: "it is not here" },
        { what: "the star of ada/rich", why: "it is not here" },
      ]),
    );
    const prompt = await own.prompts.get({ owner: "zoe", slug: "rich" });
    expect(prompt).toMatchObject({ title: "Mine", latestVersion: 1, labels: {} });
    expect((await own.prompts.get({ owner: "zoe", slug: "secret" })).visibility).toBe("private");
  });
});

describe("what others can read there already", () => {
  const reader = createClient({ baseUrl: there.url, token: null });
  const at = { owner: "dora", slug: "open" };
  const commentsThere = async () => {
    const bodies: (string | null)[] = [];
    for await (const { body } of reader.comments.list({ query: { target: "prompt:dora/open" } }))
      bodies.push(body);
    return bodies;
  };

  test("gets nothing more, unless others could read it in the archive too, and --publish says so", {
    tags: "long",
  }, async () => {
    const [carl, dora] = [await here.join("carl"), await there.join("dora")];
    const own = clientOf(here, carl.token);
    const address = { owner: "carl", slug: "open" };
    const send = async (name: string, ...options: string[]) => {
      const file = await exported(here, carl.token, name);
      const done = await run(there, dora.token, ["import", file, "--json", ...options]);
      expect(done.exitCode).toBe(0);
      return JSON.parse(done.stdout).leftOut as { what: string; why: string }[];
    };
    await own.prompts.create({
      body: { kind: "text", slug: "open", title: "Open", visibility: "public", files: text("one") },
    });
    await own.collections.create({ body: { title: "All", visibility: "public" } });
    expect(await send("open-1.tar.gz", "--publish", "--yes")).toEqual([]);
    await own.comments.create({ body: { target: { type: "prompt", id: "carl/open" }, body: "Later" } });
    expect(await send("open-2.tar.gz")).toEqual([
      { what: expect.stringMatching("^the comment "), why: "others can read it here: --publish adds to it" },
    ]);
    expect(await commentsThere()).toEqual([]);
    const { collections } = clientOf(there, dora.token);
    const collection = async () => (await collections.list({ query: { mine: true } })).items[0];
    await collections.update({ id: (await collection())?.id ?? "", body: { visibility: "unlisted" } });
    expect(await send("open-3.tar.gz", "--publish", "--yes")).toEqual([]);
    expect(await commentsThere()).toEqual(["Later"]);
    expect(await collection()).toMatchObject({ title: "All", visibility: "unlisted" });

    await own.prompts.update({ ...address, body: { visibility: "private" } });
    await own.prompts.versions.create({ ...address, body: { files: text("two"), baseVersionNumber: 1 } });
    await own.comments.create({ body: { target: { type: "prompt", id: "carl/open" }, body: "For me" } });
    const { items } = await own.collections.list({ query: { mine: true } });
    await own.collections.update({ id: items[0]?.id ?? "", body: { visibility: "private" } });
    const why = "others can read it here, and could not where the archive comes from";
    expect(await send("open-4.tar.gz", "--publish", "--yes")).toEqual([
      { what: "what is missing of the prompt open", why },
      { what: 'what is missing of the collection "All"', why },
      ...["Later", "For me"].map(() => ({
        what: expect.stringMatching("^the comment "),
        why: expect.any(String),
      })),
    ]);
    expect(await reader.prompts.get(at)).toMatchObject({ latestVersion: 1 });
    expect(await commentsThere()).toEqual(["Later"]);
  });
});

test("a published make gets the link to a prompt that was missing, with --publish, and without it a word", {
  tags: "long",
}, async () => {
  const [fay, gus] = [await here.join("fay"), await there.join("gus")];
  const late = {
    kind: "text",
    slug: "late",
    title: "Late",
    visibility: "public",
    files: text("late"),
  } as const;
  await clientOf(here, bob.token).prompts.create({ body: late });
  await clientOf(here, fay.token).makes.create({
    body: { title: "Lamp", slug: "lamp", body: "Light", prompts: [{ prompt: "bob/late" }], publish: true },
  });
  const file = await exported(here, fay.token, "fay.tar.gz");
  const send = async (...options: string[]) => {
    const { stdout, stderr } = await run(there, gus.token, ["import", file, "--json", ...options]);
    return { stderr, ...(JSON.parse(stdout) as { leftOut: object[]; things: object }) };
  };
  const what = "the link of the make lamp to bob/late@1";
  const first = await send("--publish", "--yes");
  expect(first.leftOut).toEqual([{ what, why: "it is not here" }]);
  expect(first.stderr).toContain("Becomes readable to others, unless it is already: 1 make: lamp");
  await clientOf(there, his.token).prompts.create({ body: late });
  expect((await send()).leftOut).toEqual([{ what, why: "others can read it here: --publish adds to it" }]);
  const links = async () => (await clientOf(there, gus.token).makes.get({ slug: "lamp" })).links;
  expect(await links()).toEqual([]);
  expect(await send("--publish", "--yes")).toMatchObject({
    leftOut: [],
    things: { links: { created: 1 } },
  });
  expect(await links()).toMatchObject([{ prompt: { ref: "bob/late" }, status: "pending" }]);
  expect(await send("--publish", "--yes")).toMatchObject({ leftOut: [], things: { makes: { there: 1 } } });
});

/** Sends the process SIGKILL at its n-th request. */
const killAt = (n: number) => `
import http from "node:http";
import { syncBuiltinESMExports } from "node:module";
let count = 0;
const real = http.request;
http.request = (...args) => {
  if ((count += 1) === ${n}) process.kill(process.pid, "SIGKILL");
  return real(...args);
};
syncBuiltinESMExports();`;

test("an import that is killed goes on, and nothing is there twice", {
  tags: "long",
  timeout: 240_000,
}, async () => {
  const third = await startTestServer();
  try {
    const eve = await third.join("eve");
    const main = join(import.meta.dirname, "../dist/main.js");
    const env = { ...process.env, PROMPTREG_URL: third.url, PROMPTREG_TOKEN: eve.token };
    const file = join(root, "ada.tar.gz");
    let ended: string | null | undefined;
    for (let n = 3; ended !== null; n += 4) {
      const preload = `data:text/javascript,${encodeURIComponent(killAt(n))}`;
      const args = ["--import", preload, main, "account", "import", file];
      let isOver = false;
      const running = promisify(execFile)(process.execPath, args, { env }).then(
        () => null,
        (error: { signal?: string }) => error.signal,
      );
      void running.finally(() => (isOver = true));
      await expect.poll(async () => (await third.workOff(), isOver), { timeout: 60_000 }).toBe(true);
      ended = await running;
      if (ended !== null) expect(ended).toBe("SIGKILL");
      else expect(n).toBeGreaterThan(40);
    }
    expect(await run(third, eve.token, ["import", file])).toMatchObject({ exitCode: 0 });
    const quiet = await startTestServer();
    const other = await quiet.join("eve");
    try {
      expect(await run(quiet, other.token, ["import", file])).toMatchObject({ exitCode: 0 });
      const [killed, whole] = [
        comparable(await unpacked(await exported(third, eve.token, "killed.tar.gz"))),
        comparable(await unpacked(await exported(quiet, other.token, "whole.tar.gz"))),
      ];
      expect(killed).toEqual(whole);
    } finally {
      await quiet.stop();
    }
  } finally {
    await third.stop();
  }
});

test("an export that is killed leaves no file under its name", { tags: "long" }, async () => {
  const folder = await mkdtemp(join(root, "killed-"));
  const main = join(import.meta.dirname, "../dist/main.js");
  const env = { ...process.env, PROMPTREG_URL: here.url, PROMPTREG_TOKEN: ada.token };
  const args = [
    "--import",
    `data:text/javascript,${encodeURIComponent(killAt(20))}`,
    main,
    "account",
    "export",
  ];
  await expect(
    promisify(execFile)(process.execPath, [...args, join(folder, "ada.tar.gz")], { env }),
  ).rejects.toMatchObject({ signal: "SIGKILL" });
  expect((await readdir(folder)).filter((name) => !name.startsWith("."))).toEqual([]);
  const file = join(folder, "ada.tar.gz");
  expect(await run(here, ada.token, ["export", file])).toMatchObject({ exitCode: 0 });
  expect(await readdir(folder)).toEqual(["ada.tar.gz"]);
});
