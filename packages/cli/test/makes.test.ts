import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { png } from "../../server/test/media.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const { baseUrl, token, fetch } = registry;
const client = createClient({ baseUrl, token, fetch });
const root = await mkdtemp(join(tmpdir(), "promptreg-"));
const make = (...args: string[]) => registry.cli(["make", ...args]);
const inbox = (...args: string[]) => registry.cli(["inbox", ...args]);

beforeAll(async () => {
  const files = [{ path: "PROMPT.md", content: "Hello" }];
  await client.prompts.create({
    body: { kind: "text", visibility: "public", slug: "one", title: "One", files },
  });
});
afterAll(async () => {
  await registry.close();
  await rm(root, { recursive: true });
});

/** A folder with a make.json and these files. */
async function folderOf(manifest: object, files: Record<string, string | Uint8Array> = {}): Promise<string> {
  const folder = await mkdtemp(join(root, "make-"));
  await writeFile(join(folder, "make.json"), JSON.stringify(manifest, null, 2));
  await mkdir(join(folder, "img"));
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content);
  return folder;
}
const edit = async (folder: string, change: (manifest: any) => void) => {
  const file = join(folder, "make.json");
  const manifest = JSON.parse(await readFile(file, "utf8"));
  change(manifest);
  await writeFile(file, JSON.stringify(manifest));
};
/** What a command prints while the worker reads what it uploads. */
async function delivering<Result>(running: Promise<Result>): Promise<Result> {
  let isOver = false;
  void running.finally(() => (isOver = true));
  await expect.poll(async () => (await registry.deliver(), isOver), { timeout: 20_000 }).toBe(true);
  return running;
}
const push = (folder: string, ...args: string[]) => delivering(make("push", folder, ...args));

const whole = {
  title: "A bot",
  tags: ["bot"],
  prompts: [{ prompt: "ada/one", note: "The heart" }],
  gallery: [
    { path: "img/a.png", alt: "The bot" },
    { embedUrl: "https://vimeo.com/76979871", caption: "In motion" },
  ],
  files: [{ path: "bot.py", label: "The bot" }, { path: "notes.txt" }],
  parts: [{ name: "Wheel", quantity: 4, price: { amount: "6.00", currency: "EUR" } }, { name: "Axle" }],
};
const filesOf = { "README.md": "# A bot\n", "img/a.png": png(), "bot.py": "print(1)", "notes.txt": "Some" };

describe("make push", () => {
  test("makes a make what its folder says, and sends only what changed", async () => {
    const folder = await folderOf(whole, filesOf);
    expect((await push(folder, "--publish", "-y")).stdout).toBe("a-bot is created: 9 changes, published\n");
    expect(JSON.parse(await readFile(join(folder, "make.json"), "utf8"))).toEqual({
      slug: "a-bot",
      ...whole,
    });
    expect((await push(folder)).stdout).toBe("a-bot is up to date, published\n");
    const before = await client.makes.get({ slug: "a-bot" });
    expect(before).toMatchObject({
      body: "# A bot\n",
      cover: { alt: "The bot" },
      media: [{ type: "image" }, { caption: "In motion" }],
      files: [{ label: "The bot", filename: "bot.py" }, { label: "notes.txt" }],
      parts: [{ name: "Wheel", price: { amount: "6.00" } }, { name: "Axle" }],
      links: [{ prompt: { ref: "ada/one" }, note: "The heart", status: "approved" }],
    });
    await edit(folder, (manifest) => {
      manifest.gallery.reverse();
      manifest.files.reverse();
      manifest.parts = [{ name: "Axle", quantity: 2 }];
      manifest.prompts = [];
      manifest.summary = "It greets";
    });
    expect((await push(folder)).stdout).toBe("a-bot is pushed: 7 changes, published\n");
    const after = await client.makes.get({ slug: "a-bot" });
    expect(after.files.map(({ id }) => id)).toEqual(before.files.map(({ id }) => id).reverse());
    expect(after).toMatchObject({
      summary: "It greets",
      cover: { caption: "In motion" },
      parts: [{ quantity: 2 }],
      links: [],
    });
  });

  test("goes on after an interruption with what is not there yet, and puts a changed file in its place", {
    tags: "long",
  }, async () => {
    const folder = await folderOf(
      { ...whole, slug: "cut", files: [{ path: "bot.py" }, { path: "gone.txt" }] },
      filesOf,
    );
    const cut = await make("push", folder);
    expect([cut.exitCode, cut.stderr]).toEqual([6, expect.stringContaining("gone.txt")]);
    await writeFile(join(folder, "gone.txt"), "Back");
    await push(folder);
    const { files, status } = await client.makes.get({ slug: "cut" });
    expect([status, files.map(({ filename }) => filename)]).toEqual(["draft", ["bot.py", "gone.txt"]]);
    await writeFile(join(folder, "bot.py"), "print(2)");
    await push(folder);
    const now = (await client.makes.get({ slug: "cut" })).files;
    expect(now.map(({ id }) => id)).toEqual(files.map(({ id }) => id));
    expect(now[0]?.sha256).not.toBe(files[0]?.sha256);
  });

  test("sends nothing that a link leads to, and keeps an approved link to a prompt that was renamed", async () => {
    const secret = join(root, "secret");
    await writeFile(secret, "A secret");
    const linked = await folderOf({ title: "Linked", slug: "linked", files: [{ path: "a.txt" }] });
    await symlink(secret, join(linked, "a.txt"));
    expect((await make("push", linked)).stderr).toContain("Links are not followed.");
    await writeFile(join(linked, "make.json"), JSON.stringify({ title: "Linked", slug: "linked" }));
    await symlink(secret, join(linked, "README.md"));
    expect((await make("push", linked)).stderr).toContain("Links are not followed.");
    expect((await make("view", "linked")).stderr).toContain("Not found.");
    const files = [{ path: "PROMPT.md", content: "Hello" }];
    await client.prompts.create({
      body: { kind: "text", visibility: "public", slug: "before", title: "One", files },
    });
    const folder = await folderOf({ title: "Renamed", slug: "renamed", prompts: [{ prompt: "ada/before" }] });
    await make("push", folder);
    await client.prompts.update({ owner: "ada", slug: "before", body: { slug: "after" } });
    expect((await make("push", folder)).stdout).toBe("renamed is up to date, draft\n");
  });

  test("leaves what the manifest does not name as it is, and empties what it names empty", {
    tags: "long",
  }, async () => {
    const folder = await folderOf({ ...whole, slug: "stays", summary: "It greets" }, filesOf);
    await push(folder);
    await client.makes.update({ slug: "stays", body: { visibility: "unlisted", license: "MIT" } });
    await writeFile(join(folder, "make.json"), JSON.stringify({ slug: "stays", title: "A bot", parts: [] }));
    await rm(join(folder, "README.md"));
    expect((await push(folder)).stdout).toBe("stays is pushed: 2 changes, draft\n");
    const { media, files, parts, links, ...about } = await client.makes.get({ slug: "stays" });
    expect(about).toMatchObject({
      summary: "It greets",
      body: "# A bot\n",
      visibility: "unlisted",
      license: "MIT",
      tags: ["bot"],
    });
    expect([media.length, files.length, parts.length, links.length]).toEqual([2, 2, 0, 1]);
    await writeFile(
      join(folder, "make.json"),
      JSON.stringify({ slug: "stays", title: "A bot", summary: null, gallery: [] }),
    );
    await push(folder);
    expect(await client.makes.get({ slug: "stays" })).toMatchObject({
      summary: null,
      media: [],
      tags: ["bot"],
    });
  });

  test("keeps a picture until the one in its place is ready, and names the entry that was rejected", {
    tags: "long",
  }, async () => {
    const folder = await folderOf(
      { title: "Shown", slug: "shown", gallery: [{ path: "img/a.png" }] },
      filesOf,
    );
    await push(folder);
    const [first] = (await client.makes.get({ slug: "shown" })).media;
    await writeFile(join(folder, "img/a.png"), png().subarray(0, 40));
    const { exitCode, stderr } = await push(folder);
    expect([exitCode, stderr]).toEqual([
      6,
      expect.stringMatching(/gallery\.0 \(img\/a\.png\): .*was rejected: /),
    ]);
    await writeFile(join(folder, "img/a.png"), "a text");
    expect((await push(folder)).stderr).toMatch(/gallery\.0 \(img\/a\.png\): .*name it below files/);
    expect((await client.makes.get({ slug: "shown" })).media).toMatchObject([
      { id: first?.id, media: { status: "ready" } },
    ]);
  });

  test("makes no second make of a folder whose answer was lost", async () => {
    const folder = await folderOf({ title: "Lost answer" });
    await push(folder);
    await writeFile(join(folder, "make.json"), JSON.stringify({ title: "Lost answer" }));
    await push(folder);
    expect(JSON.parse(await readFile(join(folder, "make.json"), "utf8")).slug).toBe("lost-answer");
  });

  test("checks prompts, versions and texts before it creates anything", async () => {
    for (const [fields, message] of [
      [{ prompts: [{ prompt: "ada/one" }, { prompt: "ada/nowhere" }] }, "prompts.1 (ada/nowhere): "],
      [{ prompts: [{ prompt: "ada/one", versionNumber: 9 }] }, "prompts.0 (ada/one@9): "],
      [{ body: "long.md" }, "long.md must be at most 100 KiB"],
    ] as const) {
      const folder = await folderOf(
        { title: "Checked", slug: "checked", ...fields },
        { "long.md": "ä".repeat(60_000) },
      );
      expect((await make("push", folder)).stderr).toContain(message);
    }
    expect((await make("view", "checked")).stderr).toContain("Not found.");
  });

  test("keeps the approval of a link with another note, and says where one with another version waits again", async () => {
    const cleo = createClient({ baseUrl, token: (await registry.createAccount("cleo")).token, fetch });
    const files = [{ path: "PROMPT.md", content: "Hello" }];
    await cleo.prompts.create({
      body: { kind: "text", visibility: "public", slug: "hers", title: "One", files },
    });
    await cleo.prompts.versions.create({
      owner: "cleo",
      slug: "hers",
      body: { files: [{ path: "PROMPT.md", content: "Hello 2" }], message: "Two" },
    });
    const manifest = {
      title: "Of hers",
      slug: "of-hers",
      prompts: [{ prompt: "cleo/hers", versionNumber: 1 }],
    };
    const folder = await folderOf(manifest, { "README.md": "It works" });
    await push(folder, "--publish", "-y");
    const [link] = (await client.makes.get({ slug: "of-hers" })).links;
    await cleo.makes.prompts.approve({ slug: "of-hers", linkId: link?.id ?? "" });
    await edit(folder, ({ prompts }) => (prompts[0].note = "The heart"));
    expect((await push(folder)).stderr).not.toContain("waits");
    expect((await client.makes.get({ slug: "of-hers" })).links).toMatchObject([
      { note: "The heart", status: "approved" },
    ]);
    await edit(folder, ({ prompts }) => (prompts[0].versionNumber = 2));
    expect((await push(folder)).stderr).toContain("The link to cleo/hers waits for its owner again");
    expect((await client.makes.get({ slug: "of-hers" })).links).toMatchObject([
      { versionNumber: 2, status: "pending" },
    ]);
  });

  test("asks before it publishes, and says what is there after a no; one without anything to look at is not sent", async () => {
    const folder = await folderOf({ title: "Asked", slug: "asked" }, { "README.md": "It asks" });
    const no = await registry.cli(["make", "push", folder, "--publish"], { answers: [false] });
    expect([no.exitCode, no.asked, no.stderr]).toEqual([
      130,
      ["Publish asked, public?"],
      "error: asked is here as a draft. Push again with --publish to publish it.\n",
    ]);
    await edit(folder, (manifest) => (manifest.summary = "It does"));
    expect((await make("push", folder, "--publish")).stderr).toBe(
      "error: Publish asked, public? There is no terminal to ask on. Answer with --yes. asked is here as a draft.\n",
    );
    expect(await client.makes.get({ slug: "asked" })).toMatchObject({ status: "draft", summary: "It does" });
    const empty = await folderOf({ title: "Empty", slug: "empty", gallery: [] });
    expect(await registry.cli(["make", "push", empty, "--publish"], { answers: [] })).toMatchObject({
      exitCode: 6,
      asked: [],
      stderr: expect.stringContaining("needs a body or something in its gallery. Add a README.md"),
    });
    expect((await make("view", "empty")).stderr).toContain("Not found.");
  });

  test("follows a make to the slug that it has now, and takes none that was deleted", async () => {
    const folder = await folderOf({ title: "Moved", slug: "old-name" }, { "readme.md": "# Moved" });
    await push(folder);
    await client.makes.update({ slug: "old-name", body: { slug: "new-name" } });
    expect((await push(folder)).stdout).toBe("new-name is up to date, draft\n");
    expect(JSON.parse(await readFile(join(folder, "make.json"), "utf8"))).toEqual({
      title: "Moved",
      slug: "new-name",
    });
    expect((await client.makes.get({ slug: "new-name" })).body).toBe("# Moved");
    await client.makes.delete({ slug: "new-name" });
    expect((await push(folder)).stderr).toContain("was deleted. Choose another slug in make.json.");
  });

  test.each([
    ["a path out of the folder", { files: [{ path: "../secret" }] }, "must be a path below the folder"],
    [
      "two covers",
      {
        gallery: [
          { path: "a", cover: true },
          { path: "b", cover: true },
        ],
      },
      "more than one cover",
    ],
    [
      "an item of both kinds",
      { gallery: [{ path: "a", embedUrl: "https://vimeo.com/1" }] },
      "either a path or an embedUrl",
    ],
    ["an unknown field", { colour: "red" }, "colour"],
    ["a prompt twice", { prompts: [{ prompt: "ada/one" }, { prompt: "ada/one" }] }, "the same prompt twice"],
    [
      "a page of no provider",
      { gallery: [{ embedUrl: "https://example.com/a" }] },
      "of a model of Sketchfab",
    ],
    ["no quantity", { parts: [{ name: "Wheel", quantity: 0 }] }, "must be more than 0"],
  ])("refuses a manifest with %s, and sends nothing", async (_, fields, message) => {
    const folder = await folderOf({ title: "Refused", slug: "refused", ...fields });
    const { exitCode, stderr } = await make("push", folder);
    expect([exitCode, stderr]).toEqual([6, expect.stringContaining(message)]);
    expect((await make("view", "refused")).stderr).toContain("Not found.");
  });
});

describe("make", () => {
  test("new, edit, publish, unpublish and delete change one, and ask before what cannot be taken back", async () => {
    const body = join(root, "body.md");
    await writeFile(body, "It greets");
    expect(
      (await make("new", "My robot", "--body", body, "--prompt", "ada/one@1", "--tag", "bot")).stdout,
    ).toBe("my-robot is a draft\n");
    const { asked, stdout } = await registry.cli(["make", "publish", "my-robot"], { answers: [true] });
    expect(asked).toEqual(['Publish my-robot "My robot", public? The owners of 1 linked prompt hear of it.']);
    expect(stdout).toBe("my-robot is published\n");
    expect(await registry.cli(["make", "publish", "my-robot"], { answers: [] })).toMatchObject({
      exitCode: 0,
      asked: [],
    });
    expect((await make("edit", "my-robot", "--title", "Another", "--slug", "another")).stdout).toBe(
      "another is edited\n",
    );
    expect((await make("view", "my-robot")).stdout).toMatch(/^title\s+Another$/m);
    expect((await make("edit", "another")).exitCode).toBe(2);
    expect((await make("unpublish", "another")).stdout).toBe("another is a draft\n");
    const gone = await registry.cli(["make", "delete", "another"], { answers: [true] });
    expect(gone).toMatchObject({
      asked: ['Delete the make another "Another"? Nobody can have its slug again.'],
      stdout: "another is deleted\n",
    });
  });

  test("list has one's own, or public ones, and tree draws what came of a prompt", async () => {
    await make("new", "Tree maker", "--body", join(root, "body.md"), "--prompt", "ada/one", "--publish");
    await make("remix", "tree-maker", "--slug", "twig");
    expect((await make("list")).stdout).toContain("twig\tTree maker\tada\tdraft");
    expect((await make("list", "--prompt", "ada/one")).stdout).toContain("tree-maker");
    expect((await make("list", "--public", "--query", "nothing-like-it")).stderr).toBe(
      "There are no makes.\n",
    );
    const { stdout } = await make("tree", "ada/one");
    expect(stdout).toContain("ada/one  One\n");
    expect(stdout).toMatch(/[└├]─ tree-maker link {2}Tree maker/);
  });

  test("files, gallery and parts list, add and remove, and a file is downloaded with its digest checked", async () => {
    await make("new", "Parted", "--slug", "parted");
    const file = join(root, "tool.py");
    await writeFile(file, "print(3)");
    const { items } = JSON.parse(
      (await delivering(make("files", "parted", "--add", file, "--label", "A tool", "--json"))).stdout,
    );
    expect(items).toMatchObject([{ label: "A tool", filename: "tool.py" }]);
    const out = join(root, "out.py");
    expect((await make("download", "parted", "A tool", "-o", out)).stdout).toContain("(8 bytes)");
    expect(await readFile(out, "utf8")).toBe("print(3)");
    const download = ["make", "download", "parted", "tool.py", "-o"];
    expect(await registry.cli([...download, out], { answers: [false] })).toMatchObject({
      exitCode: 130,
      asked: [`Overwrite ${out}?`],
    });
    const forging: typeof fetch = async (...request) => {
      const answer = await fetch(...request);
      return answer.headers.get("content-type")?.includes("json")
        ? answer
        : new Response("print(4)", { headers: answer.headers });
    };
    const forged = join(root, "forged.py");
    expect(await registry.cli([...download, forged], { fetch: forging })).toMatchObject({
      exitCode: 9,
      stderr: expect.stringContaining("is not what the registry describes. Nothing is written."),
    });
    await expect(readFile(forged)).rejects.toThrow("ENOENT");
    const renaming: typeof fetch = async (...request) => {
      const answer = await fetch(...request);
      if (!answer.headers.get("content-type")?.includes("json")) return answer;
      return new Response((await answer.text()).replace('"tool.py"', '"../.tool.py"'), answer);
    };
    const start = process.cwd();
    process.chdir(root);
    const renamed = await registry
      .cli(["make", "download", "parted", "A tool", "--json"], { fetch: renaming })
      .finally(() => process.chdir(start));
    expect(JSON.parse(renamed.stdout)).toMatchObject({ file: "__.tool.py", bytes: 8 });
    expect(await readFile(join(root, "__.tool.py"), "utf8")).toBe("print(3)");
    expect((await make("download", "parted", "nothing")).stderr).toContain("It has tool.py.");
    expect((await make("gallery", "parted", "--add", "https://vimeo.com/76979871")).stdout).toContain(
      "embed\tcover",
    );
    const missing = await make("gallery", "parted", "--add", file, "--add", "nowhere.png");
    expect(missing.stderr).toMatch(/nowhere\.png/);
    expect(missing.stderr).not.toContain("Uploading");
    expect((await delivering(make("gallery", "parted", "--add", file))).stderr).toContain(
      "use `promptreg make files --add`",
    );
    expect(
      (await make("parts", "parted", "--add", "Wheel", "--quantity", "4", "--price", "6.00 eur")).stdout,
    ).toContain("Wheel\t4\t6.00 EUR");
    for (const option of ["--price=six", "--price=6 EURO", "--price=a6 EUR", "--quantity=0", "--quantity="])
      expect((await make("parts", "parted", "--add", "Wheel", option)).exitCode).toBe(6);
    expect((await make("parts", "parted", "--quantity", "2")).exitCode).toBe(2);
    const [wheel] = (await client.makes.get({ slug: "parted" })).parts;
    expect((await make("parts", "parted", "--remove", wheel?.id ?? "")).stdout).toBe("");
    await make("gallery", "parted", "--add", "https://vimeo.com/76979872");
    const [first, second] = (await client.makes.get({ slug: "parted" })).media;
    const covered = ["gallery", "parted", "--cover", second?.id ?? "", "--remove", first?.id ?? ""];
    expect((await make(...covered)).stdout).toMatch(new RegExp(`^${second?.id}\tembed\tcover\t.*\n$`));
    expect((await make("files", "parted", "--remove", items[0].id)).stdout).toBe("");
  });

  test("star and unstar say what they did", async () => {
    await make("new", "Starred", "--body", join(root, "body.md"), "--publish");
    expect((await make("star", "starred")).stdout).toBe("starred is starred\n");
    expect((await make("unstar", "starred")).stdout).toBe("starred is not starred\n");
  });
});

describe("inbox", () => {
  test("and lists of makes cut titles on a terminal, but nothing that one has to type", async () => {
    const ada = await registry.createAccount("a-maker-with-a-long-handle");
    const other = createClient({ baseUrl, token: ada.token, fetch });
    const prompts = [{ prompt: "ada/one" }];
    const title = "A bot that answers everybody who writes to us at night";
    const { slug } = await other.makes.create({ body: { title, body: "Hi", prompts, publish: true } });
    for (const args of [
      ["inbox", "list"],
      ["make", "list", "--public"],
    ])
      for (const columns of [80, 100]) {
        const { stdout } = await registry.cli(args, { isTTY: true, columns, env: { NO_COLOR: "1" } });
        expect(stdout).toMatch(new RegExp(`(^| )${slug}( |$)`, "m"));
      }
    await other.makes.delete({ slug });
  });

  test("lists what waits, and decides by the make alone, or by its prompt where it links to several", async () => {
    const bob = await registry.createAccount("bob");
    const other = createClient({ baseUrl, token: bob.token, fetch });
    const files = [{ path: "PROMPT.md", content: "Hello" }];
    await client.prompts.create({
      body: { kind: "text", visibility: "public", slug: "two", title: "Two", files },
    });
    const prompts = [{ prompt: "ada/one" }, { prompt: "ada/two" }];
    await other.makes.create({ body: { title: "Of bob", body: "Hi", prompts, publish: true } });
    expect((await inbox("list")).stdout).toContain("of-bob\tOf bob\tbob\tada/two@1");
    expect((await inbox("approve", "of-bob")).stderr).toContain("Name one of them: ada/one, ada/two.");
    expect((await inbox("approve", "of-bob", "ada/one")).stdout).toBe(
      "of-bob is in the gallery of ada/one\n",
    );
    expect((await inbox("pin", "of-bob", "ada/one")).stdout).toBe(
      "of-bob is pinned in the gallery of ada/one\n",
    );
    expect((await inbox("gallery", "ada/one")).stdout).toMatch(/^of-bob\tOf bob\tbob\tada\/one@1, pinned/);
    expect((await inbox("unpin", "of-bob", "ada/one")).exitCode).toBe(0);
    await inbox("reject", "of-bob", "ada/two", "--reason", "Not about it");
    expect((await other.makes.get({ slug: "of-bob" })).links).toMatchObject([
      {},
      { status: "rejected", reason: "Not about it" },
    ]);
    expect((await inbox("list")).stderr).toBe("Nothing waits for you.\n");
    const unlinked = await registry.cli(["make", "unlink", "of-bob", "ada/one"], { answers: [true] });
    expect([unlinked.asked, unlinked.stdout]).toEqual([
      ["Remove the link of of-bob to ada/one?"],
      "of-bob links to ada/one no more\n",
    ]);
    expect((await make("link", "a-bot", "ada/two", "--note", "New")).stdout).toBe(
      "a-bot links to ada/two@1: approved\n",
    );
  });
});
