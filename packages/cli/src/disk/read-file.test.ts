import { mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readFileAt } from "./read-file.ts";

const folder = await mkdtemp(join(tmpdir(), "promptreg-read-"));
afterAll(() => rm(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

test("a file is read as long as it is no larger than it may be", async () => {
  await writeFile(at("a"), "Hello", { mode: 0o600 });
  const { bytes, mode } = readFileAt(at("a"), 1);
  expect([bytes.toString(), (mode & 0o100) === 0]).toEqual(["Hello", true]);
  await truncate(at("a"), 1024 ** 2);
  expect(readFileAt(at("a"), 1).bytes).toHaveLength(1024 ** 2);
  await truncate(at("a"), 1024 ** 2 + 1);
  expect(() => readFileAt(at("a"), 1)).toThrow(`${at("a")} is larger than 1 MiB.`);
  expect(readFileAt(at("a"), 2).bytes).toHaveLength(1024 ** 2 + 1);
});

test.runIf(process.platform !== "win32")("what is no ordinary file is named for what it is", async () => {
  expect(() => readFileAt(folder, 1)).toThrow(`${folder} is a folder. Name a file.`);
  expect(() => readFileAt(at("none"), 1)).toThrow(`${at("none")} does not exist.`);
  await writeFile(at("b"), "Hello");
  await symlink(at("b"), at("link"));
  expect(() => readFileAt(at("link"), 1)).toThrow(
    `${at("link")} is a symbolic link. Replace it with the file.`,
  );
  expect(() => readFileAt("/dev/null", 1)).toThrow("/dev/null is neither a file nor a folder.");
});
