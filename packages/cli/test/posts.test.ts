import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, describe, expect, test } from "vitest";
import { complaintAbout } from "../../core/src/testing/growth.ts";
import { startTestServer } from "../../server/test/harness.ts";
import { png } from "../../server/test/media.ts";
import { leanFetch } from "../src/http/fetch.ts";
import { retarget, targetOf, targetsIn } from "../src/posts/pictures.ts";
import { type Around, cli } from "./registry.ts";

// With its database: only an operator trusts an author.
const server = await startTestServer();
const ada = await server.join("ada");
const mod = await server.join("mod", { role: "moderator", scopes: ["read", "write", "moderator"] });
const client = createClient({ baseUrl: server.url, token: ada.token });
const root = await mkdtemp(join(tmpdir(), "promptreg-"));
afterAll(async () => {
  await server.stop();
  await rm(root, { recursive: true });
});

const as = (token: string, args: readonly string[], around: Around = {}) =>
  cli(["post", ...args], { ...around, env: { PROMPTREG_URL: server.url, PROMPTREG_TOKEN: token } });
const post = (...args: string[]) => as(ada.token, args);
const trust = (isTrusted: boolean) =>
  server.sql`update users set trusted_author = ${isTrusted} where id = ${ada.id}`;

/** A folder with a post. */
async function fileOf(frontmatter: string, body: string, pictures: string[] = []): Promise<string> {
  const folder = await mkdtemp(join(root, "post-"));
  await mkdir(join(folder, "img"));
  for (const path of pictures) await writeFile(join(folder, path), png());
  const file = join(folder, "post.md");
  await writeFile(file, `---\n${frontmatter}\n---\n\n${body}`);
  return file;
}
const read = (file: string) => readFile(file, "utf8");
const change = async (file: string, from: string | RegExp, to: string) =>
  writeFile(file, (await read(file)).replace(from, to));
const idIn = async (file: string) => /^id: (pst_\w{26})$/m.exec(await read(file))?.[1] ?? "";
/** What a push prints while the worker reads what it uploads. */
async function push(file: string, ...args: string[]) {
  const running = post("push", file, ...args);
  let isOver = false;
  void running.finally(() => (isOver = true));
  await expect.poll(async () => (await server.workOff(), isOver), { timeout: 20_000 }).toBe(true);
  return running;
}
const pushed = async (frontmatter: string, body = "It says\n"): Promise<[id: string, file: string]> => {
  const file = await fileOf(frontmatter, body);
  await push(file);
  return [await idIn(file), file];
};

describe("post push", () => {
  test("makes a draft of a file, writes its id there, and sends later only what changed", async () => {
    const file = await fileOf("# Mine\ntitle: First steps # short\ntags: [start]", "Begin here\n");
    expect((await push(file)).stdout).toBe("First steps is created, draft\n");
    const id = await idIn(file);
    expect(await read(file)).toMatch(
      /^---\nid: pst_\w{26}\n# Mine\ntitle: First steps # short\ntags: \[start\]\nbase: sha256:\w{32}\.\w{32}\n---\n\nBegin here\n$/,
    );
    expect(await client.posts.get({ id })).toMatchObject({ slug: "first-steps", body: "Begin here\n" });
    const before = await read(file);
    expect((await push(file)).stdout).toBe("First steps is up to date, draft\n");
    expect(await read(file)).toBe(before);
    await client.posts.update({ id, body: { slug: "steps" } });
    await change(file, "title:", "summary: How to begin\ntitle:");
    await change(file, "Begin here", "Begin there");
    const { stdout } = await as(ada.token, ["push", file, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ changes: 2, created: false, slug: "steps", tags: ["start"] });
    await change(file, "summary: How to begin", "summary: null");
    await change(file, "tags: [start]", "tags: []");
    expect((await push(file)).stdout).toBe("First steps is pushed: 2 changes, draft\n");
    expect(await client.posts.get({ id })).toMatchObject({ summary: null, tags: [] });
  });

  test("makes no second post of a file whose answer was lost, and a new one if the first was deleted", async () => {
    const file = await fileOf("title: Lost answer", "It says\n");
    const before = await read(file);
    await push(file);
    const id = await idIn(file);
    await writeFile(file, before);
    await push(file);
    expect(await idIn(file)).toBe(id);
    await client.posts.delete({ id });
    await writeFile(file, before);
    await push(file);
    expect(await idIn(file)).not.toBe(id);
  });

  test("uploads pictures once, and again only those whose bytes changed", { tags: "long" }, async () => {
    const body = "![A cat](img/cat.png) and `![not](this.png)` and ![far](https://a.example/b.png)\n";
    const file = await fileOf("title: Pictures\ncover: img/cover.png", body, [
      "img/cat.png",
      "img/cover.png",
    ]);
    await push(file);
    const id = await idIn(file);
    const first = await client.posts.get({ id });
    const cat = /media:(med_\w{26})/.exec(first.body)?.[1];
    expect(first.body).toBe(body.replace("img/cat.png", `media:${cat}`));
    expect(await read(file)).toContain(`  img/cat.png: ${cat}\n`);
    expect(await read(file)).toContain(`  img/cover.png: ${first.cover?.id}\n`);
    expect((await read(file)).endsWith(body)).toBe(true);
    const again = await push(file);
    expect([again.stdout, again.stderr]).toEqual(["Pictures is up to date, draft\n", ""]);
    await writeFile(join(file, "../img/cat.png"), png({ width: 9 }));
    const { stdout, stderr } = await push(file);
    expect([stdout, stderr]).toEqual(["Pictures is pushed: 1 change, draft\n", "Uploading img/cat.png…\n"]);
    const now = await client.posts.get({ id });
    expect(now.cover?.id).toBe(first.cover?.id);
    expect(now.body).not.toContain(cat);
    await change(file, "cover: img/cover.png", "cover: null");
    await push(file);
    expect((await client.posts.get({ id })).cover).toBeNull();
  });

  test.each([
    ["../secret.png", "must be a path below the folder"],
    ["/etc/passwd", "must be a path below the folder"],
    ["img/gone.png", "does not exist"],
    ["img/link.png", "Links are not followed"],
    ["linked/a.png", "Links are not followed"],
  ])("sends nothing of a file with the picture %s", async (path, message) => {
    const file = await fileOf("title: Refused", `![a](${path})`);
    await writeFile(join(root, "secret.png"), png());
    await symlink(join(root, "secret.png"), join(file, "../img/link.png"));
    await symlink(root, join(file, "../linked"));
    const { exitCode, stderr } = await post("push", file);
    expect([exitCode, stderr]).toEqual([6, expect.stringContaining(message)]);
    expect((await client.posts.list({ query: { mine: true, slug: "refused" } })).items).toEqual([]);
  });

  test.each([
    ["title: A\ncolour: red", "colour: is no field of a post"],
    ["summary: A", "title: "],
    ["title: A\ntags: [A B]", "tags.0: "],
    ["title: A\nid: 3", "must be the id of a post"],
    ["title: A\nimages: {a.png: b}", "must be paths with the ids of media"],
    ["title: A\nseries: mine", "series: "],
    ["title: [", "is not valid YAML"],
    ["title: &a A\nsummary: *a", "has an alias"],
    ["title: A\ntitle: B", "is not valid YAML"],
    ["- title", "has no fields"],
  ])("refuses the frontmatter %j, and says what is wrong", async (frontmatter, message) => {
    const { exitCode, stderr } = await post("push", await fileOf(frontmatter, "Text"));
    expect([exitCode, stderr]).toEqual([6, expect.stringContaining(message)]);
  });

  test("refuses a file without frontmatter, too much text, and a note to nobody", async () => {
    const file = join(root, "plain.md");
    await writeFile(file, "# A title");
    expect((await post("push", file)).stderr).toContain("has no frontmatter");
    const long = await post("push", await fileOf("title: Long", "ä".repeat(110_000)));
    expect([long.exitCode, long.stderr]).toEqual([6, expect.stringContaining("200 KiB")]);
    expect((await post("push", file, "--note", "Hi")).exitCode).toBe(2);
    const bytes = join(root, "bytes.md");
    await writeFile(bytes, Buffer.from([0xff, 0xfe]));
    expect((await post("push", bytes)).stderr).toContain("it is not UTF-8");
  });

  test("never writes over what was written elsewhere since, unless it is told to: then a revision keeps it", {
    tags: "long",
  }, async () => {
    const [id, file] = await pushed("title: Twice\ntags: [a]");
    await client.posts.autosave({ id, body: { body: "Written in the browser" } });
    await change(file, "It says", "It says more");
    const refused = await push(file);
    expect([refused.exitCode, refused.stderr]).toEqual([
      5,
      expect.stringContaining("changed on the server since the file was pushed or pulled"),
    ]);
    expect(refused.stderr).toContain(`promptreg post pull ${id}`);
    expect((await client.posts.get({ id })).body).toBe("Written in the browser");
    expect((await push(file, "--force")).stdout).toBe("Twice is pushed: 1 change, draft\n");
    const { items } = await client.posts.revisions.list({ id });
    const texts = items.map(async ({ id: revisionId }) =>
      client.posts.revisions.get({ id, revisionId }).then(({ body }) => body),
    );
    expect(await Promise.all(texts)).toEqual(["It says more\n", "Written in the browser", "It says\n"]);
    // What moderators decide changes no text.
    const { submission } = await client.posts.submit({ id, body: {} });
    const revisionId = submission?.revisionId ?? "";
    await createClient({ baseUrl: server.url, token: mod.token }).posts.update({
      id,
      body: { review: { decision: "approved", revisionId } },
    });
    await change(file, "more", "most");
    expect((await push(file)).stdout).toBe(
      "Twice is pushed: 1 change, published, with unpublished changes\n",
    );
  });

  test("stores nothing if the post changes between the read and the write", async () => {
    const [id, file] = await pushed("title: Raced");
    await change(file, "It says", "It says more");
    const { fetch } = globalThis;
    const racing: typeof fetch = async (input, init) => {
      const method = init?.method ?? (input instanceof Request ? input.method : "GET");
      if (method === "PATCH") await client.posts.autosave({ id, body: { body: "Faster" } });
      return fetch(input, init);
    };
    const { exitCode, stderr } = await as(ada.token, ["push", file], { fetch: racing });
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining("Nothing was stored.")]);
    expect((await client.posts.get({ id })).body).toBe("Faster");
  });

  test("keeps what its author goes on writing in the file meanwhile", async () => {
    const [id, file] = await pushed("title: Quick");
    const { fetch } = globalThis;
    const typing: typeof fetch = async (input, init) => {
      await change(file, "It says", "It says and says");
      return fetch(input, init);
    };
    await change(file, "title: Quick", "title: Quicker");
    await as(ada.token, ["push", file], { fetch: typing });
    expect(await client.posts.get({ id })).toMatchObject({ title: "Quicker", body: "It says\n" });
    expect(await read(file)).toMatch(/\n---\n\nIt says and says/);
    expect((await push(file)).stdout).toBe("Quicker is pushed: 1 change, draft\n");
  });

  test("leaves the posts of others and deleted ones alone", async () => {
    const bob = await server.join("bob");
    const [id, file] = await pushed("title: Not theirs");
    await trust(true);
    await client.posts.submit({ id, body: {} });
    await trust(false);
    expect((await as(bob.token, ["push", file])).stderr).toContain(`${id} is a post of ada.`);
    expect((await as(bob.token, ["pull", id, join(root, "theirs.md")])).stderr).toContain("is a post of ada");
    await client.posts.delete({ id });
    expect((await post("push", file)).stderr).toContain(`${id}: The post was deleted.`);
  });
});

describe("post pull", () => {
  test("writes a post to a file that pushes nothing, and keeps comments and paths of the one that is there", async () => {
    const file = await fileOf("# Mine\ntitle: Round", "![A cat](<img/a cat.png>)\n", ["img/a cat.png"]);
    await push(file);
    const id = await idIn(file);
    const copy = join(root, "copy.md");
    expect((await post("pull", id, copy)).stdout).toBe(`Round is written to ${copy}\n`);
    expect(await read(copy)).toMatch(
      /^---\nid: pst_\w+\ntitle: Round\nslug: round\nimages:\n {2}round\/1.png: med_\w+\nbase: \S+\n---\n\n!\[A cat\]\(<?round\/1.png/,
    );
    const sent = await post("push", copy);
    expect([sent.stdout, sent.stderr]).toEqual(["Round is up to date, draft\n", ""]);
    await client.posts.update({
      id,
      body: { title: "Rounder", body: `${(await client.posts.get({ id })).body}\nMore`, tags: ["a"] },
    });
    // Nothing in it is new: nobody is asked.
    expect((await post("pull", id, file)).stdout).toBe(`Rounder is written to ${file}\n`);
    expect(await read(file)).toMatch(
      /^---\nid: pst_\w+\n# Mine\n[^]*\n---\n\n!\[A cat\]\(img\/a%20cat\.png\)\n\nMore\n$/,
    );
    expect((await push(file)).stdout).toBe("Rounder is up to date, draft\n");
    expect((await post("pull", id, file)).stdout).toBe(`Rounder is up to date in ${file}\n`);
  });

  test("brings the pictures of a post beside its file, again if they are lost, and over nothing else", {
    tags: "long",
  }, async () => {
    const file = await fileOf(
      "title: Illustrated\ncover: img/cover.png",
      "![A](img/a.png) ![B](img/b.png) ![C](media:med_01jd0000000000000000000000)\n",
      ["img/cover.png", "img/a.png"],
    );
    await writeFile(join(file, "../img/b.png"), png({ width: 9 }));
    await push(file);
    const id = await idIn(file);
    const folder = await mkdtemp(join(root, "pulled-"));
    const copy = join(folder, "copy.md");
    await mkdir(join(folder, "illustrated"));
    await writeFile(join(folder, "illustrated/1.png"), "Mine");
    const downloaded = (...names: number[]) =>
      names.map((name) => `Downloading illustrated/${name}.png…\n`).join("");
    // With the requests of the program, which know less than those of Node.
    const pulled = await as(ada.token, ["pull", id, copy], { fetch: leanFetch as unknown as typeof fetch });
    expect(pulled.stderr).toBe(downloaded(2, 3, 4));
    expect(await read(join(folder, "illustrated/1.png"))).toBe("Mine");
    expect(await read(copy)).toContain("\ncover: illustrated/2.png\n");
    expect(await read(copy)).toContain(
      "![A](illustrated/3.png) ![B](illustrated/4.png) ![C](media:med_01jd0000000000000000000000)",
    );
    const again = await post("pull", id, copy);
    expect([again.stdout, again.stderr]).toEqual([`Illustrated is up to date in ${copy}\n`, ""]);
    await rm(join(folder, "illustrated/3.png"));
    const forging: typeof fetch = async (...request) => {
      const answer = await fetch(...request);
      return answer.headers.get("content-type")?.includes("json") ? answer : new Response("Not that");
    };
    const forged = await as(ada.token, ["pull", id, copy], { fetch: forging });
    expect([forged.exitCode, forged.stderr]).toEqual([
      9,
      expect.stringContaining("What came of illustrated/3.png is not what the registry describes."),
    ]);
    expect((await post("pull", id, copy)).stderr).toBe(downloaded(3));
    // What a pull that was stopped brought is not brought twice.
    await rm(copy);
    expect((await post("pull", id, copy)).stderr).toBe("");
    const sent = await post("push", copy);
    expect([sent.stdout, sent.stderr]).toEqual(["Illustrated is up to date, draft\n", ""]);
    const taken = join(await mkdtemp(join(root, "taken-")), "post.md");
    await symlink(root, join(taken, "../illustrated"));
    expect((await post("pull", id, taken)).stderr).toContain("is in the way");
  });

  test("asks before it writes over what was not pushed, or over another file", async () => {
    const [id, file] = await pushed("title: Asked");
    await change(file, "It says", "It says more");
    await client.posts.update({ id, body: { body: "Elsewhere" } });
    const no = await as(ada.token, ["pull", id, file], { answers: [false] });
    expect([no.exitCode, no.asked]).toEqual([
      130,
      [`Overwrite ${file}? It says what is not at the registry.`],
    ]);
    expect(await read(file)).toContain("It says more");
    const other = join(root, "other.md");
    await writeFile(other, "Mine");
    const yes = await as(ada.token, ["pull", id, other], { answers: [true] });
    expect(yes.asked).toEqual([`Overwrite ${other}? It is not the file of this post.`]);
    expect(await read(other)).toContain("Elsewhere");
    expect((await post("pull", id, root)).stderr).toContain("is a folder");
  });
});

describe("post", () => {
  test("new begins a file, which push submits: to a moderator, who decides", async () => {
    const file = join(root, "new.md");
    expect((await post("new", file, "--title", " ")).exitCode).toBe(6);
    expect((await post("new", file, "--title", "My day: one")).exitCode).toBe(0);
    expect((await as(ada.token, ["new", file, "--title", "B"], { answers: [false] })).asked).toEqual([
      `Overwrite ${file}?`,
    ]);
    await writeFile(file, `${await read(file)}A day\n`);
    expect((await push(file, "--submit", "--note", "My first")).stdout).toBe(
      "My day: one is created, in review: a moderator decides\n",
    );
    const id = await idIn(file);
    expect((await push(file, "--submit")).stdout).toBe(
      "My day: one is up to date, in review: a moderator decides\n",
    );
    await change(file, "A day", "A week");
    const late = await push(file);
    expect([late.exitCode, late.stderr]).toEqual([5, expect.stringContaining(`post withdraw ${id}`)]);
    expect(await post("list", "--in-review")).toMatchObject({
      exitCode: 3,
      stderr: expect.not.stringContaining("mine="),
    });
    expect((await as(mod.token, ["list", "--in-review"])).stdout).toContain(`${id}\tMy day: one\tada\t`);
    expect((await as(mod.token, ["view", id])).stdout).toMatch(/^note\tMy first$/m);
    expect((await as(mod.token, ["review", id])).exitCode).toBe(2);
    const unexplained = await as(mod.token, ["review", id, "--reject", "--yes"]);
    expect([unexplained.exitCode, unexplained.stderr]).toEqual([2, expect.stringContaining("--reason")]);
    const rejected = await as(mod.token, ["review", id, "--reject"], { answers: ["Too short", true] });
    expect(rejected.asked).toEqual([
      "Why? Its author reads it.",
      expect.stringMatching(/^Send back rev_\w+ "My day: one", 2 words, written .*\?$/),
    ]);
    expect(rejected.stdout).toBe(`${id} is rejected. Its author is told.\n`);
    expect((await post("view", id)).stdout).toMatch(/^review\trejected: Too short$/m);
    await post("submit", id);
    expect((await post("withdraw", id)).stdout).toBe(`${id} is withdrawn, draft\n`);
    await post("submit", id, "--note", "Now");
    expect((await as(mod.token, ["view", id])).stdout).toMatch(/^last review\trejected: Too short$/m);
    const [, waiting = ""] = /^revision\t(rev_\w+)$/m.exec((await as(mod.token, ["view", id])).stdout) ?? [];
    expect((await as(mod.token, ["review", id, "--approve", "--revision", waiting])).stdout).toContain(
      "is approved",
    );
    const twice = await as(mod.token, ["review", id, "--reject", "--reason", "Too late"]);
    expect([twice.exitCode, twice.stderr]).toEqual([5, expect.stringContaining("Nothing of")]);
    expect((await post("list")).stdout).toContain(`${id}\tMy day: one\tpublished\t`);
    expect((await as(mod.token, ["vote", id])).stdout).toBe(`${id} has your vote: 1 up, 0 down\n`);
    const gone = await as(mod.token, ["unpublish", id, "--reason", "An ad"], { answers: [true] });
    expect(gone.asked).toEqual([`Take back the post ${id} "My day: one"? Nobody else can read it then.`]);
    expect(gone.stdout).toBe(`${id} is not published any more\n`);
    expect((await post("view", id)).stdout).toMatch(/^review\tunpublished: An ad$/m);
    const deleted = await as(ada.token, ["delete", id], { answers: [true] });
    expect(deleted.asked).toEqual([`Delete the post ${id} "My day: one", with its revisions?`]);
  });

  test("that a trusted author submits is published, and shows readers what they see", async () => {
    await trust(true);
    const file = await fileOf("title: Trusted\ntags: [trusted]", "Old\n");
    expect((await push(file, "--submit")).stdout).toBe("Trusted is created, published\n");
    const id = await idIn(file);
    expect((await post("edit", id, "--title", "Newer", "--summary", "One line")).stdout).toBe(
      `${id} is edited, published, with unpublished changes\n`,
    );
    expect((await post("edit", id)).exitCode).toBe(2);
    expect((await post("view", id)).stdout).toMatch(/^title\tNewer$/m);
    expect((await post("view", id, "--published")).stdout).toMatch(/^title\tTrusted$/m);
    for (const which of [["--tag", "trusted"], ["--author", "ada"], ["--public"]])
      expect((await post("list", ...which)).stdout).toContain(`${id}\tTrusted\tada\t`);
    expect((await post("list", "--status", "draft")).stdout).not.toContain(id);
    expect((await post("submit", id)).stdout).toBe(`${id} is published\n`);
    await trust(false);
    expect((await post("list", "--public", "--query", "nothing-like-it")).stderr).toBe(
      "There are no posts.\n",
    );
  });

  test("revisions are listed, shown, and restored by number", async () => {
    const [id, file] = await pushed("title: Kept", "One\n");
    await change(file, "One", "Two");
    await push(file);
    const { stdout } = await post("revisions", id);
    expect(stdout.split("\n").map((line) => line.split("\t")[0])).toEqual(["2", "1", ""]);
    expect((await post("view", id, "--revision", "1")).stdout).toMatch(/^revision\t1, save$[^]*\n\nOne\n$/m);
    expect((await post("restore", id, "1")).stdout).toBe(`${id} says again what revision 1 says, draft\n`);
    expect((await client.posts.get({ id })).body).toBe("One\n");
    expect((await post("restore", id, "9")).stderr).toContain("has no revision 9");
    expect((await post("restore", id, "last")).exitCode).toBe(2);
  });

  test("a push takes back no tags and no slug that were changed elsewhere, unless it is forced", async () => {
    const [id, file] = await pushed("title: Tagged\ntags: [old]");
    await post("pull", id, file);
    await post("edit", id, "--slug", "elsewhere", "--tag", "new");
    await change(file, "It says", "It says more");
    const stopped = await push(file);
    expect([stopped.exitCode, stopped.stderr]).toEqual([
      5,
      expect.stringContaining("slug, tags, cover or series of the post changed on the server"),
    ]);
    expect(await client.posts.get({ id })).toMatchObject({ slug: "elsewhere", tags: ["new"] });
    expect((await push(file, "--force")).exitCode).toBe(0);
    expect(await client.posts.get({ id })).toMatchObject({ tags: ["old"] });
  });

  test("series are made, filled, ordered and deleted", async () => {
    const { stdout } = await post("series", "create", "For beginners", "--description", "Start here");
    const series = stdout.slice(0, 30);
    expect(stdout).toBe(`${series} "For beginners" is created\n`);
    const [first] = await pushed(`title: Part one\nseries: ${series}`);
    const [second] = await pushed("title: Part two");
    await post("edit", second, "--series", series);
    expect((await post("series", "order", series, second)).stdout).toBe(
      `${series} begins with ${second}, before 1 other post\n`,
    );
    expect((await post("series", "view", series)).stdout).toContain(
      `1\t${second}\tPart two\tdraft\n2\t${first}\tPart one\tdraft\n`,
    );
    await post("edit", second, "--no-series");
    expect((await post("series", "order", series, second)).stderr).toContain("is not in this series");
    expect((await post("series", "edit", series, "--title", "Begin")).stdout).toContain('"Begin" is edited');
    expect((await post("series", "edit", series)).exitCode).toBe(2);
    expect((await post("series", "list")).stdout).toMatch(new RegExp(`^${series}\tBegin\t1\t`, "m"));
    const gone = await as(ada.token, ["series", "delete", series], { answers: [true] });
    expect(gone.asked).toEqual([`Delete the series ${series} "Begin"? Its posts stay.`]);
    expect((await client.posts.get({ id: first })).series).toBeNull();
    const late = await post("edit", first, "--series", series);
    expect([late.exitCode, late.stderr]).toEqual([
      4,
      expect.stringContaining(`Is the series ${series} deleted?`),
    ]);
  });
});

describe("pictures of a text", () => {
  test.each<[text: string, targets: string[]]>([
    ['![a](b.png "A title") ![c]( <d e.png> )', ["b.png", "d e.png"]],
    ["[![a](b.png)](https://a.example) [c](d.png)", ["b.png"]],
    ["![a [b] c](d(1).png)", ["d(1).png"]],
    ["![a](b%20c.png) ![a](d\\(.png)", ["b c.png", "d(.png"]],
    ["`![a](b.png)` ``![a]`(b.png)`` ![c](d.png)", ["d.png"]],
    ["`![a](b.png)", ["b.png"]],
    ["`a\n![a](b.png)`\n\n`\n\n![c](d.png)`", ["d.png"]],
    ["\\![a](b.png) !\\[a](b.png) ![a\\](b.png)", []],
    ["```\n![a](b.png)\n```\n![c](d.png)", ["d.png"]],
    ["~~~~md\n![a](b.png)\n~~~\n![a](b.png)\n~~~~\n![c](d.png)", ["d.png"]],
    ["- ```\n  ![a](b.png)\n  ```\n  ![c](d.png)", ["d.png"]],
    ["> ```\n> ![a](b.png)\n> ```\n> ![c](d.png)", ["d.png"]],
    ["![a](b c.png) ![a](b.png", []],
  ])("of %j are %j", (text, targets) => {
    expect([...targetsIn(text)].map(({ target }) => target)).toEqual(targets);
  });

  test("can be put in place of each other and back", () => {
    const path = "a (1) 50%\\<b>.png";
    const text = retarget("![a](x) and ![b](y)", (target) => (target === "x" ? targetOf(path) : undefined));
    expect(retarget(text, (target) => (target === path ? "x" : undefined))).toBe("![a](x) and ![b](y)");
  });

  test.each(["![", "![a](", "`", "``` ", "[", "![](<", "![a](b(", "\\", "![a](b ", "]("])(
    "are found at a cost that grows with the text: %j",
    async (again) => {
      expect(
        await complaintAbout((text) => [...targetsIn(text)], [{ start: "", again, end: "" }]),
      ).toBeUndefined();
    },
  );
});
