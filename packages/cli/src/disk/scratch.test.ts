import { chown, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { host } from "./runs.ts";
import { makeScratch } from "./scratch.ts";

/** No process has such a number. */
const gone = 2 ** 22 + 1;

afterEach(() => vi.unstubAllEnvs());

test("a temporary folder is made, and those that killed commands left go: no other, and nobody else's", async () => {
  const root = await mkdtemp(join(tmpdir(), "promptreg-scratch-"));
  vi.stubEnv("TMPDIR", root);
  const kept = [
    `promptreg-${process.ppid}-${host}-living`,
    `promptreg-${process.pid}-${host}-itself`,
    `promptreg-${gone}-00000000-elsewh`,
    `promptreg-${gone}-${host}-other-name`,
    `promptreg-${gone}-${host}-linked`,
  ];
  try {
    for (const name of [`promptreg-${gone}-${host}-killed`, ...kept.slice(0, -1)])
      await mkdir(join(root, name, "unit"), { recursive: true });
    await symlink(join(root, kept[0] ?? ""), join(root, kept.at(-1) ?? ""));
    // Only who may give a folder away can try that of somebody else.
    if (process.getuid?.() === 0) {
      kept.push(`promptreg-${gone}-${host}-sbelse`);
      await mkdir(join(root, kept.at(-1) ?? ""));
      await chown(join(root, kept.at(-1) ?? ""), 12_345, 12_345);
    }
    const folder = await makeScratch();
    expect((await readdir(root)).sort()).toEqual([...kept, folder.slice(root.length + 1)].sort());
    expect(await readdir(join(root, kept[0] ?? ""))).toEqual(["unit"]);
  } finally {
    await rm(root, { recursive: true });
  }
});
