import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { promisify } from "node:util";
import type { Lockfile } from "@promptreg/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sidesOf } from "../src/locked/sides.ts";
import { type LockScene, startLockScene } from "./locked.ts";

let scene: LockScene;
beforeAll(async () => {
  scene = await startLockScene();
  for (const slug of ["a", "b", "c", "d", "e"]) {
    for (const n of [1, 2, 3]) await scene.commit(slug, `${slug} at ${n}.`);
  }
});
afterAll(() => scene.close());

const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
const git = (...args: string[]) => promisify(execFile)("git", [...identity, ...args], { cwd: scene.folder });
const move = (slug: string, versionNumber: number) =>
  scene.client.prompts.labels.put({ owner: "ada", slug, name: "live", body: { versionNumber } });

/** Points labels, and locks them, as a commit. */
async function commit(versions: Record<string, number>, removed: string[] = []) {
  for (const [slug, n] of Object.entries(versions)) await move(slug, n);
  const refs = Object.keys(versions).map((slug) => `ada/${slug}@live`);
  await scene.run(["lock", ...refs, ...removed.flatMap((slug) => ["--remove", `ada/${slug}@live`])]);
  await git("add", ".");
  await git("commit", "-qm", "Lock");
}

/** What two people did who began with the same lockfile; the second one is about to merge. */
async function branches(
  base: Record<string, number>,
  ours: () => Promise<void>,
  theirs: () => Promise<void>,
) {
  await git("init", "-q", "-b", "main");
  await commit(base);
  await git("switch", "-qc", "theirs");
  await theirs();
  await git("switch", "-qc", "ours", "main");
  await ours();
}
const merge = () =>
  git("merge", "-q", "theirs", "-m", "Merge").then(
    () => "merged",
    () => "conflict",
  );
const versionsIn = (text: string) =>
  Object.fromEntries(
    Object.entries((JSON.parse(text) as Lockfile).prompts).map(([ref, { version }]) => [
      ref.slice(4, 5),
      version,
    ]),
  );

beforeEach(async () => {
  await rm(scene.folder, { recursive: true });
  await mkdir(scene.folder);
});

describe("two branches", () => {
  test.each([
    ["renew neighbours", { a: 1, b: 1 }, { a: 2 }, [], { b: 2 }, [], { a: 2, b: 2 }],
    ["add at both ends", { c: 1 }, { a: 1 }, [], { e: 1 }, [], { a: 1, c: 1, e: 1 }],
    [
      "add at the end, and renew what was last",
      { a: 1, b: 1 },
      { c: 1 },
      [],
      { b: 2 },
      [],
      { a: 1, b: 2, c: 1 },
    ],
    [
      "add in between, and renew what stands before",
      { a: 1, c: 1 },
      { b: 1 },
      [],
      { a: 2 },
      [],
      { a: 2, b: 1, c: 1 },
    ],
    [
      "add in between, and renew what comes after",
      { a: 1, c: 1 },
      { b: 1 },
      [],
      { c: 2 },
      [],
      { a: 1, b: 1, c: 2 },
    ],
    ["remove, and renew a neighbour", { a: 1, b: 1, c: 1 }, {}, ["b"], { a: 2 }, [], { a: 2, c: 1 }],
    [
      "remove the last, and renew the one before",
      { a: 1, b: 1, c: 1 },
      {},
      ["c"],
      { b: 2 },
      [],
      { a: 1, b: 2 },
    ],
    ["lock the same version", { a: 1, b: 1 }, { a: 2 }, [], { a: 2 }, [], { a: 2, b: 1 }],
  ] as const)("that %s merge", async (_, base, ours, oursRemove, theirs, theirsRemove, merged) => {
    await branches(
      base,
      () => commit(ours, [...oursRemove]),
      () => commit(theirs, [...theirsRemove]),
    );
    expect(await merge()).toBe("merged");
    const text = await scene.text();
    expect(versionsIn(text)).toEqual(merged);
    expect((await scene.run(["ci", "--frozen"])).exitCode).toBe(0);
    for (const [slug, n] of Object.entries(merged)) await move(slug, n);
    expect(await scene.json(["lock"])).toMatchObject({ isWritten: false });
  });

  test("that lock different versions of one prompt conflict, and name it to settle that", async () => {
    await branches(
      { a: 1, b: 1 },
      () => commit({ a: 2 }),
      () => commit({ a: 3 }),
    );
    expect(await merge()).toBe("conflict");
    for (const command of ["verify", "ci", "outdated", "codegen"]) {
      const { stderr, exitCode } = await scene.run([command]);
      expect(stderr).toContain("has an unfinished merge");
      expect(exitCode).toBe(6);
    }
    const { stderr, exitCode } = await scene.run(["lock", "ada/b@live"]);
    expect(stderr).toContain("The merge has two versions of ada/a@live. Add these addresses");
    expect(exitCode).toBe(6);
    await scene.run(["lock", "ada/a@live"]);
    expect(versionsIn(await scene.text())).toEqual({ a: 2, b: 1 });
  });

  test.each(["merge", "diff3", "zdiff3"])(
    "that add in one place conflict, and are settled with both (conflictStyle %s)",
    async (style) => {
      await branches(
        { a: 1, e: 1 },
        () => commit({ b: 1, c: 2 }),
        () => commit({ c: 2, d: 3 }),
      );
      await git("config", "merge.conflictStyle", style);
      expect(await merge()).toBe("conflict");
      await scene.run(["lock", "ada/a@live"]);
      expect(versionsIn(await scene.text())).toEqual({ a: 1, b: 1, c: 2, d: 3, e: 1 });
      expect((await scene.run(["verify"])).exitCode).toBe(0);
    },
  );

  test("that both begin a lockfile are settled with both", async () => {
    await branches(
      { a: 1 },
      () => commit({ b: 1 }, ["a"]),
      () => commit({ c: 1 }, ["a"]),
    );
    expect(await merge()).toBe("conflict");
    await scene.run(["lock", "ada/b@live"]);
    expect(versionsIn(await scene.text())).toEqual({ b: 1, c: 1 });
  });
});

test("a text that mentions git's marks within a line has no sides", () => {
  expect(sidesOf('{\n  "text": "<<<<<<< here"\n}\n')).toBeUndefined();
});
