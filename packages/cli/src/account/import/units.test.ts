import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { maxFiles } from "@promptreg/core/content";
import { afterAll, describe, expect, test } from "vitest";
import { tarEnd, type TarEntry, tarOf } from "../../../../core/src/archives/testing/tar.ts";
import { file, head, promptOf } from "../../../test/account-entries.ts";
import { unitsOf } from "./units.ts";

const root = await mkdtemp(join(tmpdir(), "promptreg-units-"));
afterAll(() => rm(root, { recursive: true }));
const archive = join(root, "units.tar.gz");
const scratch = join(root, "scratch");

/** The parts of an archive, and how reading it ended. */
async function read(...entries: TarEntry[]) {
  await writeFile(archive, gzipSync(Buffer.concat([tarOf(...entries), tarEnd]), { level: 1 }));
  const units: string[] = [];
  try {
    for await (const { kind, name, nth, files } of unitsOf(archive, {
      scratch,
      signal: new AbortController().signal,
    }))
      units.push(`${kind} ${name} ${nth}: ${files.map(({ path }) => path).join(" ")}`);
  } catch (error) {
    return { units, message: (error as Error).message };
  }
  return { units, message: "" };
}
const before = (place: string) => (place.startsWith("prompts/") ? [head(), ...promptOf("ada/x")] : [head()]);

describe("an archive of an account may have", () => {
  test.each([
    ["series.json", 64],
    ["prompts/x/versions/1/a", 10],
    ["prompts/x/draft/a", 10],
    ["prompts/x/datasets/1/cases.jsonl", 1024],
    ["prompts/x/examples/1/a", 100],
    ["posts/x/a", 100],
    ["makes/x/a", 100],
    ["collections/1/a", 100],
    ["comments.jsonl", 1024],
    ["stars.jsonl", 1024],
    ["watches.jsonl", 1024],
    ["left-out.json", 64],
  ])("%s of %i MiB, and no larger", async (place, mebibytes) => {
    const sized = (bytes: number) => ({ name: place, size: bytes.toString(8).padStart(11, "0") });
    const most = mebibytes * 1024 ** 2;
    expect((await read(...before(place), sized(most + 1))).message).toContain(
      `${JSON.stringify(place)} is larger than it may be: ${mebibytes} MiB.`,
    );
    expect((await read(...before(place), sized(most))).message).not.toContain("larger");
  });

  test.each([
    ["prompts/x/versions/1/", maxFiles],
    ["prompts/x/examples/1/", 11],
    ["collections/1/", 2],
  ])("below %s %i files, and no more", async (folder, most) => {
    const many = Array.from({ length: most + 1 }, (_, nth) => file(`${folder}${nth}`));
    expect((await read(...before(folder), ...many)).message).toContain(
      `"${folder}${most}" is one file too many. There may be ${most}.`,
    );
  });

  test("versions whose files are together no larger than 10 MiB", async () => {
    const half = { content: Buffer.alloc(6 * 1024 ** 2) };
    const [a, b] = ["a", "b"].map((path) => ({ name: `prompts/x/versions/1/${path}`, ...half }));
    expect((await read(...before("prompts/"), a as TarEntry, b as TarEntry)).message).toContain(
      '"prompts/x/versions/1/b" is larger than it may be: 10 MiB.',
    );
  });

  test("only names that an export writes", async () => {
    const known = "promptreg-account.json series.json comments.jsonl stars.jsonl watches.jsonl left-out.json";
    const names = [
      ...known.split(" ").flatMap((one) => [`x/${one}`, `${one}x`]),
      ...["prompts/x/record.json", "posts/x/a", "makes/x/a", "collections/1/a"].map((one) => `x/${one}`),
      "prompts/x/record.jsonx",
      "prompts/x-/record.json",
      "prompts/X/record.json",
      "prompts/x/versions/0/a",
      "prompts/x/versions/12345678/a",
      "prompts/x/datasets/1/other.json",
    ];
    for (const one of names)
      expect((await read(head(), file(one))).message).toContain(`"${one}" is no part of an export`);
  });

  test("its parts one after the other, by names that may begin with ./, and folders between them", async () => {
    const names = ["prompts/x/versions/1/a", "prompts/x/versions/1/b/c", "prompts/x/versions/2/a"];
    const all = [...before("prompts/"), ...names.map((one) => file(one)), file("left-out.json", "[]")];
    const units = [
      "head  0: promptreg-account.json",
      "prompt x 0: promptreg.json record.json",
      "version x 1: a b/c",
      "version x 2: a",
      "end  0: left-out.json",
    ];
    expect(await read(...all)).toEqual({ units, message: "" });
    const dotted = all.map((entry) => ({ ...entry, name: `././${entry.name}` }));
    expect(await read({ name: "./prompts/", type: "5" }, ...dotted)).toEqual({ units, message: "" });
  });
});
