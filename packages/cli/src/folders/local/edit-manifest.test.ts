import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { editManifest } from "./edit-manifest.ts";

const folder = await mkdtemp(join(tmpdir(), "promptreg-edit-"));
afterAll(() => rm(folder, { recursive: true }));
const file = join(folder, "promptreg.json");

test.each([
  ["two spaces", '{\n  "prompt": "ada/x"\n}\n', '{\n  "prompt": "ada/x",\n  "tags": [\n    "a"\n  ]\n}\n'],
  [
    "four spaces",
    '{\n    "prompt": "ada/x"\n}\n',
    '{\n    "prompt": "ada/x",\n    "tags": [\n        "a"\n    ]\n}\n',
  ],
  ["tabs", '{\n\t"prompt": "ada/x"\n}\n', '{\n\t"prompt": "ada/x",\n\t"tags": [\n\t\t"a"\n\t]\n}\n'],
  [
    "lines of Windows",
    '{\r\n  "prompt": "ada/x"\r\n}\r\n',
    '{\r\n  "prompt": "ada/x",\r\n  "tags": [\r\n    "a"\r\n  ]\r\n}\r\n',
  ],
  [
    "a byte order mark",
    '\ufeff{\n  "prompt": "ada/x"\n}',
    '\ufeff{\n  "prompt": "ada/x",\n  "tags": [\n    "a"\n  ]\n}',
  ],
])("a manifest with %s keeps its layout", async (_, before, after) => {
  await writeFile(file, before);
  await editManifest(folder, { tags: ["a"] });
  expect(await readFile(file, "utf8")).toBe(after);
  expect(await readdir(folder)).toEqual(["promptreg.json"]);
  await editManifest(folder, { tags: undefined });
  expect(JSON.parse((await readFile(file, "utf8")).replace(/^\ufeff/, ""))).toEqual({ prompt: "ada/x" });
});

test("a manifest that is not there is not made", async () => {
  const none = join(folder, "none");
  await expect(editManifest(none, { tags: ["a"] })).rejects.toThrow(
    `${join(none, "promptreg.json")} does not exist.`,
  );
});
