import { createClient, readLockfile } from "@promptreg/client";
import { readdir, rm } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type LockScene, startLockScene } from "./locked.ts";
import { startRegistry } from "./registry.ts";

let scene: LockScene;
beforeAll(async () => {
  scene = await startLockScene();
  await scene.commit("reply", "Dear {{name}}, one.", ["production"]);
  await scene.commit("reply", "Dear {{name}}, two.");
  await scene.commit("triage", "Sort {{mail}}.");
});
beforeEach(() => rm(scene.file, { force: true }));
afterEach(() => scene.registry.heal());
afterAll(() => scene.close());

const move = (slug: string, versionNumber: number) =>
  scene.client.prompts.labels.put({ owner: "ada", slug, name: "production", body: { versionNumber } });

describe("lock", () => {
  test("writes what addresses lead to, as a label, a version and the latest", async () => {
    const { stdout, exitCode } = await scene.run([
      "lock",
      "ada/reply@production",
      "ada/reply@2",
      "ada/triage",
    ]);
    expect(stdout).toBe(
      `ada/reply@2\tnone → 2\nada/reply@production\tnone → 1\nada/triage@latest\tnone → 1\n${scene.file}: 3 changed\n`,
    );
    expect(exitCode).toBe(0);
    const text = await scene.text();
    expect(text).toMatch(/^{\n {2}"lockfileVersion": 1,\n {2}"prompts": {\n {4}"ada\/reply@2": {\n/);
    const { prompts } = readLockfile(text);
    expect(Object.keys(prompts)).toEqual(["ada/reply@2", "ada/reply@production", "ada/triage@latest"]);
    expect(prompts["ada/reply@production"]).toEqual({
      version: 1,
      contentHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      entry: "PROMPT.md",
      variables: [{ name: "name", type: "text", required: true, default: null }],
      config: {},
      files: [{ path: "PROMPT.md", encoding: "utf8", content: "Dear {{name}}, one." }],
    });
  });

  test("takes nothing that does not match its digest", async () => {
    const fake = await startRegistry();
    const query = { view: "version" } as const;
    const prompt = await scene.client.prompts.get({
      owner: "ada",
      slug: "triage",
      query,
    });
    const lockChanged = (change: object) => {
      const [file] = prompt.version!.files;
      const version = { ...prompt.version, files: [{ ...file, ...change }] };
      fake.answer("GET /prompts/ada/triage?view=version", { json: { ...prompt, version } });
      return fake.cli(["lock", "ada/triage", "--file", scene.file]);
    };
    expect(await lockChanged({ content: "Other." })).toMatchObject({
      exitCode: 9,
      stderr: expect.stringContaining("do not match its digest"),
    });
    expect(await lockChanged({ path: ".git/hooks/post-checkout" })).toMatchObject({ exitCode: 9 });
    expect(await readdir(scene.folder)).toEqual([]);
    expect(await lockChanged({})).toMatchObject({ exitCode: 0 });
    await fake.close();
  });

  test("gives applications all that they need without the registry", async () => {
    await scene.run(["lock", "ada/reply@production"]);
    const client = createClient({ cache: { lockfile: readLockfile(await scene.text()) } });
    const { text } = await client.prompt("ada/reply@production", { locked: true }).compile({ name: "Ada" });
    expect(text).toBe("Dear Ada, one.");
  });

  test("keeps what another command locks at the same time", async () => {
    const refs = ["ada/reply@1", "ada/reply@2", "ada/reply@production", "ada/triage@latest"];
    await Promise.all(refs.map((ref) => scene.run(["lock", ref])));
    expect(Object.keys(readLockfile(await scene.text()).prompts)).toEqual(refs);
  });

  test("renews all that is locked, or only what is named, and says from where to where", async () => {
    await scene.run(["lock", "ada/reply@production", "ada/triage@latest"]);
    await move("reply", 2);
    await scene.commit("triage", "Sort {{mail}} well.");
    expect((await scene.run(["lock", "ada/triage"])).stdout).toContain("ada/triage@latest\t1 → 2\n");
    expect((await scene.run(["lock"])).stdout).toBe(
      `ada/reply@production\t1 → 2\n${scene.file}: 1 changed, 1 prompt unchanged\n`,
    );
    await move("reply", 1);
  });

  test("leaves a file in which nothing changed as it is, whatever ends its lines", async () => {
    await scene.run(["lock", "ada/reply@production"]);
    await scene.write((await scene.text()).replaceAll("\n", "\r\n"));
    const before = await scene.text();
    expect(await scene.json(["lock"])).toEqual({
      file: scene.file,
      isWritten: false,
      prompts: [{ ref: "ada/reply@production", from: 1, to: 1, status: "unchanged" }],
    });
    expect(await scene.text()).toBe(before);
    await scene.run(["lock", "--remove", "ada/reply@production"]);
    await scene.run(["lock", "ada/reply@production"]);
    expect(await scene.text()).toBe(before.replaceAll("\r\n", "\n"));
  });

  test("writes anew what was changed by hand", async () => {
    await scene.run(["lock", "ada/reply@production"]);
    const before = await scene.text();
    await scene.write(before.replace("Dear", "Hey"));
    expect((await scene.run(["lock"])).stdout).toContain("ada/reply@production\t1, updated\n");
    expect(await scene.text()).toBe(before);
  });

  test("takes a prompt out, without asking the registry", async () => {
    await scene.run(["lock", "ada/reply@production", "ada/reply@2"]);
    scene.registry.fail({ cut: "before" });
    const { stdout } = await scene.run(["lock", "--remove", "ada/reply@2"]);
    expect(stdout).toContain("ada/reply@2\t2 → none\n");
    expect(Object.keys(readLockfile(await scene.text()).prompts)).toEqual(["ada/reply@production"]);
    const { stderr, exitCode } = await scene.run(["lock", "--remove", "ada/repyl@production"]);
    expect(stderr).toContain("does not contain ada/repyl@production. Did you mean ada/reply@production?");
    expect(exitCode).toBe(6);
  });

  test("keeps files as they are: binary ones, executable ones, and the order within values", async () => {
    const files = [
      {
        path: "PROMPT.md",
        content: "---\nvariables:\n  - {name: v, type: json, default: {long: 1, b: 2}}\n---\n{{v}}",
      },
      { path: "scripts/run.sh", content: "#!/bin/sh\n", mode: "100755" as const },
      { path: "logo.png", content: "iVBORw0KGgr/AAA=", encoding: "base64" as const },
    ];
    await scene.client.prompts.create({ body: { kind: "text", slug: "files", title: "Files", files } });
    await scene.run(["lock", "ada/files"]);
    const lockfile = readLockfile(await scene.text());
    expect(lockfile.prompts["ada/files@latest"]?.files).toEqual(
      expect.arrayContaining([{ encoding: "base64", path: "logo.png", content: "iVBORw0KGgr/AAA=" }]),
    );
    expect((await scene.run(["verify"])).exitCode).toBe(0);
    const online = await createClient(scene.registry).prompt("ada/files").compile();
    const offline = await createClient({ cache: { lockfile } })
      .prompt("ada/files", { locked: true })
      .compile();
    expect(offline.text).toBe(online.text);
  });
});

describe("what cannot be locked", () => {
  test("leaves the file as it was, and each is named with its reason", async () => {
    await scene.run(["lock", "ada/reply@production"]);
    const before = await scene.text();
    await scene.client.prompts.labels.delete({ owner: "ada", slug: "reply", name: "production" });
    await scene.commit("gone", "Gone.");
    await scene.client.prompts.delete({ owner: "ada", slug: "gone" });
    const { stderr, exitCode } = await scene.run([
      "lock",
      "ada/triage",
      "ada/nothing",
      "ada/gone@1",
      "ada/reply@production",
    ]);
    expect(stderr.split("\n")).toEqual([
      `error: 3 of 4 cannot be locked. ${scene.file} did not change. \`promptreg lock --remove ada/reply@production\` removes it.`,
      "  ada/nothing@latest: Not found. It does not exist, or you do not have access to it.",
      "  ada/gone@1: This was deleted.",
      "  ada/reply@production: ada/reply has no label production.",
      "",
    ]);
    expect(exitCode).toBe(4);
    expect(await scene.text()).toBe(before);
    expect(await readdir(scene.folder)).toEqual(["promptreg.lock"]);
    await move("reply", 1);
  });

  test("is another's private prompt, as if it were not there", async () => {
    const { token } = await scene.registry.createAccount("bob");
    await scene.client.prompts.update({ owner: "ada", slug: "triage", body: { visibility: "private" } });
    const { stderr, exitCode } = await scene.run(["lock", "ada/triage"], { env: { PROMPTREG_TOKEN: token } });
    expect(stderr).toContain(
      "ada/triage@latest: Not found. It does not exist, or you do not have access to it.",
    );
    expect(exitCode).toBe(4);
    await scene.client.prompts.update({ owner: "ada", slug: "triage", body: { visibility: "public" } });
  });

  test("says so when the registry is away, or refuses the token", async () => {
    scene.registry.fail({ status: 401 });
    expect((await scene.run(["lock", "ada/reply"])).exitCode).toBe(3);
    scene.registry.heal();
    scene.registry.fail({ cut: "before" });
    expect((await scene.run(["lock", "ada/reply"])).exitCode).toBe(7);
    expect(await readdir(scene.folder)).toEqual([]);
  });

  test("Ctrl-C leaves the file as it was", async () => {
    const { stderr, exitCode } = await scene.run(["lock", "ada/reply"], { interrupt: AbortSignal.abort() });
    expect(stderr).toContain("promptreg.lock did not change.");
    expect(exitCode).toBe(130);
  });

  test("makes no folder", async () => {
    const file = `${scene.folder}/no/lock`;
    expect(await scene.registry.cli(["lock", "ada/reply", "--file", file])).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining(`${file}.lock cannot be written`),
    });
    expect(await readdir(scene.folder)).toEqual([]);
  });

  test("needs a version that is not yanked, if none is named", async () => {
    await scene.commit("leaky", "One.");
    await scene.client.prompts.versions.yank({ owner: "ada", slug: "leaky", n: 1, body: {} });
    expect(await scene.run(["lock", "ada/leaky"])).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining("ada/leaky has no version to use"),
    });
  });

  test.each([
    ["no file", undefined, "does not exist"],
    ["no JSON", "{", "is not JSON"],
    ["a later format", '{"lockfileVersion":2,"prompts":{}}', "is not version 1"],
    [
      "no prompt",
      '{"lockfileVersion":1,"prompts":{"ada/reply@production":{"version":1}}}',
      "ada/reply@production: is not a locked prompt",
    ],
    ["no address", '{"lockfileVersion":1,"prompts":{"ada/reply":{}}}', "ada/reply: is not a locked prompt"],
  ])("is found where there is %s", async (_, text, message) => {
    if (text !== undefined) await scene.write(text);
    for (const command of ["lock", "ci", "verify", "outdated", "codegen"]) {
      const { stderr, exitCode } = await scene.run([command]);
      expect(stderr).toContain(message);
      expect(exitCode).toBe(6);
    }
  });
});

test("a version that is yanked, and a prompt under another name, are locked with a warning", async () => {
  await scene.commit("old-name", "One.");
  await scene.commit("old-name", "Two.");
  await scene.client.prompts.update({ owner: "ada", slug: "old-name", body: { slug: "new-name" } });
  await scene.client.prompts.versions.yank({ owner: "ada", slug: "new-name", n: 1, body: {} });
  const { stderr, exitCode } = await scene.run(["lock", "ada/old-name@1"]);
  expect(stderr).toBe(
    "ada/old-name@1: version 1 is yanked. It still works, but should not be used.\n" +
      "ada/old-name@1: the prompt is now ada/new-name. The old address still works.\n",
  );
  expect(exitCode).toBe(0);
  const client = createClient({ cache: { lockfile: readLockfile(await scene.text()) } });
  expect(await client.prompt("ada/old-name@1", { locked: true }).get()).toMatchObject({ isYanked: true });
});

test("a hundred prompts are locked beside each other", { tags: "long" }, async () => {
  const slugs = Array.from({ length: 100 }, (_, index) => `many-${index}`);
  for (const slug of slugs) await scene.commit(slug, `${slug}.`);
  const { exitCode } = await scene.run(["lock", ...slugs.map((slug) => `ada/${slug}`)]);
  expect(exitCode).toBe(0);
  expect(Object.keys(readLockfile(await scene.text()).prompts)).toHaveLength(100);
});
