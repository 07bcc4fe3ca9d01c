import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readRecord, recordName } from "./record.ts";

const folder = await mkdtemp(join(tmpdir(), "promptreg-record-"));
afterAll(() => rm(folder, { recursive: true }));
const file = join(folder, recordName);

const install = { asked: "latest", version: 3, files: { "a/PROMPT.md": "sha256:00" } };
const prompt = { id: "prm_1", for: { claude: install } };
const read = async (record: unknown) => {
  await writeFile(file, JSON.stringify(record));
  return readRecord(file);
};
const withPrompts = (prompts: unknown) => read({ recordVersion: 1, prompts });
const withInstall = (change: object) =>
  withPrompts({ "ada/reply": { ...prompt, for: { claude: { ...install, ...change } } } });

describe("the record of what is installed", () => {
  test("is read prompt by prompt, and tool by tool", async () => {
    expect(
      await withPrompts({
        "ada/reply": {
          ...prompt,
          for: { claude: install, "cursor-2": { ...install, asked: "7", sections: { "b.md": "x" } } },
        },
        "bob/sort": { id: "prm_2", for: {} },
      }),
    ).toEqual([
      { ref: "ada/reply", id: "prm_1", target: "claude", ...install, sections: {} },
      {
        ref: "ada/reply",
        id: "prm_1",
        target: "cursor-2",
        ...install,
        asked: "7",
        sections: { "b.md": "x" },
      },
    ]);
    expect(await readRecord(join(folder, "none.json"))).toEqual([]);
  });

  test.each([
    [[]],
    [{ prompts: {} }],
    [{ recordVersion: 2, prompts: {} }],
    [{ recordVersion: 1 }],
    [{ recordVersion: 1, prompts: [] }],
  ])("is damaged as %j", async (record) => {
    await expect(read(record)).rejects.toThrow("is damaged and cannot be used.");
  });

  test.each([
    [{ Ada: prompt }],
    [{ "ada/reply@1": prompt }],
    [{ "ada/reply": null }],
    [{ "ada/reply": { id: "prm_1" } }],
    [{ "ada/reply": { ...prompt, id: 1 } }],
    [{ "ada/reply": { ...prompt, for: { claude: null } } }],
    [{ "ada/reply": { ...prompt, for: { "/claude": install } } }],
    [{ "ada/reply": { ...prompt, for: { "claude/..": install } } }],
  ])("is damaged with the prompts %j", async (prompts) => {
    await expect(withPrompts(prompts)).rejects.toThrow("is damaged and cannot be used.");
  });

  test.each([
    [{ asked: 1 }],
    [{ asked: "" }],
    [{ version: "3" }],
    [{ version: 1.5 }],
    [{ files: [] }],
    [{ files: { a: 1 } }],
    [{ sections: "a" }],
    [{ sections: { a: null } }],
  ])("is damaged with an install that has %j", async (change) => {
    await expect(withInstall(change)).rejects.toThrow("is damaged and cannot be used.");
  });

  test("has no path that leads out of the project", async () => {
    await expect(withInstall({ files: { "../a": "x" } })).rejects.toThrow(
      "has paths that cannot be written.",
    );
    await expect(withInstall({ sections: { "/a": "x" } })).rejects.toThrow(
      "has paths that cannot be written.",
    );
  });
});
