import { createClient } from "@promptreg/client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type LockScene, startLockScene } from "./locked.ts";

let scene: LockScene;
let lockfile: string;
const at = "2026-11-20T09:30:00.000Z";
const move = (slug: string, name: string, versionNumber: number) =>
  scene.client.prompts.labels.put({ owner: "ada", slug, name, body: { versionNumber } });

beforeAll(async () => {
  scene = await startLockScene();
  await scene.commit("reply", "Dear {{name}}, one.", ["production"]);
  await scene.commit("triage", "Sort {{mail}}.");
  await scene.run(["lock", "ada/reply@production", "ada/reply@1", "ada/triage@latest"]);
  lockfile = await scene.text();
});
beforeEach(() => scene.write(lockfile));
afterEach(() => scene.registry.heal());
afterAll(() => scene.close());

type Entry = Record<string, unknown> & { files: Record<string, unknown>[] };
/** Ways to change a lockfile by hand that its digests tell. */
const tampered: [string, (entry: Entry) => unknown, string][] = [
  [
    "a changed text",
    ({ files }) => Object.assign(files[0] ?? {}, { content: "Hey" }),
    "do not match its digest",
  ],
  [
    "a changed mode",
    ({ files }) => Object.assign(files[0] ?? {}, { mode: "100755" }),
    "can be executable only",
  ],
  [
    "an added file",
    ({ files }) => files.push({ path: "x.md", encoding: "utf8", content: "" }),
    "do not match its digest",
  ],
  ["a missing entry file", (entry) => Object.assign(entry, { files: [] }), "entry file PROMPT.md is missing"],
  ["another digest", (entry) => Object.assign(entry, { contentHash: "sha256:00" }), "not sha256:00."],
];

describe.each([["verify"], ["ci", "--frozen"]])("%s %s", (...words) => {
  const command = words.filter(Boolean);

  test("is content with what was locked", async () => {
    const { stdout, stderr, exitCode } = await scene.run(command);
    const holds = command[0] === "verify" ? "matching its digest" : "the same in the registry";
    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: `${scene.file} is valid: 3 prompts, each ${holds}\n`,
      stderr: "",
      exitCode: 0,
    });
    expect(await scene.text()).toBe(lockfile);
  });

  test.each(tampered)("finds %s", async (_, change, message) => {
    await scene.edit(({ prompts }) => change(prompts["ada/reply@production"] as unknown as Entry));
    const { stdout, stderr, exitCode } = await scene.run(command);
    expect(stdout).toMatch(/^ada\/reply@production: .*\n$/);
    expect(stdout).toContain(message);
    expect(stderr).toBe(`error: ${scene.file} is not valid: 1 of 3 prompts failed.\n`);
    expect(exitCode).toBe(9);
  });

  test("finds a number that is locked to another version", async () => {
    await scene.edit(({ prompts }) => {
      (prompts as Record<string, unknown>)["ada/reply@7"] = prompts["ada/reply@1"];
    });
    expect((await scene.json(command))["prompts"]).toContainEqual(
      expect.objectContaining({
        ref: "ada/reply@7",
        problem: "It is locked at version 1, but its address names another version.",
      }),
    );
  });
});

describe("verify", () => {
  test("asks nobody", async () => {
    scene.registry.requests.length = 0;
    await scene.run(["verify"]);
    expect(scene.registry.requests).toEqual([]);
  });
});

describe("ci", () => {
  test("is content though a label moved, for what is locked is what was tested", async () => {
    await scene.commit("reply", "Dear {{name}}, two.", ["production"]);
    expect((await scene.run(["ci", "--frozen"])).exitCode).toBe(0);
    await move("reply", "production", 1);
  });

  test.each([
    ["variables", { variables: [] }],
    ["config", { config: { model: "other" } }],
  ])("finds changed %s, which no digest covers", async (_, fields) => {
    await scene.edit(({ prompts }) => Object.assign(prompts["ada/reply@1"] ?? {}, fields));
    const { stdout, exitCode } = await scene.run(["ci", "--frozen"]);
    expect(stdout).toBe("ada/reply@1: Its variables or config differ from version 1.\n");
    expect(exitCode).toBe(9);
  });

  test("finds files that are not the version's, though they fit their own digest", async () => {
    await scene.edit(({ prompts }) => {
      const { contentHash, files } = prompts["ada/triage@latest"] ?? { contentHash: "", files: [] };
      Object.assign(prompts["ada/reply@production"] ?? {}, { contentHash, files });
    });
    const { stdout } = await scene.run(["ci", "--frozen"]);
    expect(stdout).toBe(
      "ada/reply@production: The registry has other files for version 1. Check that this is the right registry.\n",
    );
  });

  test("finds what is gone, what is private and what never was, each by its reason", async () => {
    await scene.commit("gone", "Gone.");
    await scene.commit("hidden", "Hidden.");
    await scene.run(["lock", "ada/gone@1", "ada/hidden@1"]);
    await scene.edit(({ prompts }) => Object.assign(prompts["ada/triage@latest"] ?? {}, { version: 9 }));
    await scene.client.prompts.delete({ owner: "ada", slug: "gone" });
    await scene.client.prompts.update({ owner: "ada", slug: "hidden", body: { visibility: "private" } });
    const { token } = await scene.registry.createAccount("bob");
    const { stdout, stderr, exitCode } = await scene.run(["ci", "--frozen"], {
      env: { PROMPTREG_TOKEN: token },
    });
    expect(stdout).toBe(
      "ada/gone@1: This was deleted.\n" +
        "ada/hidden@1: Not found. It does not exist, or you do not have access to it.\n" +
        "ada/triage@latest: ada/triage has no version 9.\n",
    );
    expect(stderr).toContain("3 of 5 prompts");
    expect(exitCode).toBe(9);
  });

  test("does not take a registry that is away, or a wrong token, for a lockfile that is wrong", async () => {
    scene.registry.fail({ cut: "before" });
    expect((await scene.run(["ci", "--frozen"])).exitCode).toBe(7);
    scene.registry.heal();
    const { token } = await scene.registry.createAccount("carol");
    await scene.registry.revokeToken(token);
    const { exitCode, stdout } = await scene.run(["ci"], { env: { PROMPTREG_TOKEN: token } });
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: "" });
  });
});

describe("outdated", () => {
  test("has nothing to tell while labels are where they were", async () => {
    expect(await scene.run(["outdated", "--exit-code"])).toMatchObject({
      exitCode: 0,
      stdout: `${scene.file}: 3 prompts, none outdated\n`,
    });
  });

  test("lists where labels are now and since when, and with --exit-code fails", async () => {
    await scene.registry.clock.set(at);
    await scene.commit("triage", "Sort {{mail}} again.");
    await move("reply", "production", 2);
    const { stdout, exitCode } = await scene.run(["outdated"]);
    expect(stdout).toBe(
      "ada/reply@production\t1\t2\t2026-11-20 09:30\toutdated\nada/triage@latest\t1\t2\t2026-11-20 09:30\toutdated\n",
    );
    expect(exitCode).toBe(0);
    const failed = await scene.run(["outdated", "--exit-code"]);
    expect(failed).toMatchObject({
      exitCode: 9,
      stdout,
      stderr: "error: 2 of 3 locked prompts are outdated.\n",
    });
    expect((await scene.json(["outdated"]))["prompts"]).toEqual([
      { ref: "ada/reply@1", locked: 1, current: 1, movedAt: null, isYanked: false, status: "current" },
      {
        ref: "ada/reply@production",
        locked: 1,
        current: 2,
        movedAt: at,
        isYanked: false,
        status: "outdated",
      },
      { ref: "ada/triage@latest", locked: 1, current: 2, movedAt: at, isYanked: false, status: "outdated" },
    ]);
  });

  test("tells of labels that were removed, prompts that are gone, and yanked versions, which still work", async () => {
    await scene.client.prompts.labels.delete({ owner: "ada", slug: "reply", name: "production" });
    await scene.client.prompts.versions.yank({ owner: "ada", slug: "reply", n: 1, body: {} });
    await scene.client.prompts.delete({ owner: "ada", slug: "triage" });
    const { stdout, stderr } = await scene.run(["outdated"]);
    expect(stdout).toBe(
      "ada/reply@1\t1\t1\t\tyanked\nada/reply@production\t1\tnone\t\tremoved, yanked\nada/triage@latest\t1\tnone\t\tgone\n",
    );
    const yanked = "version 1 is yanked. It still works, but should not be used.";
    expect(stderr).toBe(
      `ada/reply@1: ${yanked}\nada/reply@production: ${yanked}\nada/reply@production: the label production does not exist.\n` +
        "ada/triage@latest: This was deleted.\n",
    );
    await scene.run(["lock", "--remove", "ada/triage@latest"]);
    expect(await scene.run(["ci", "--frozen"])).toMatchObject({
      exitCode: 0,
      stderr: `ada/reply@1: ${yanked}\nada/reply@production: ${yanked}\n`,
    });
    await expect(createClient(scene.registry).prompt("ada/reply@1").get()).resolves.toMatchObject({
      version: 1,
    });
  });
});
