import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { contract, listOperations } from "@promptreg/core";
import { describe, expect, test } from "vitest";

const sources = join(import.meta.dirname, "../src");
const decision = join(import.meta.dirname, "../../../docs/decisions/0014-command-line.md");
/** Folders in which an operation can stand without a command for it. */
const notNouns = ["api", "completion", "disk", "grammar", "http", "requests", "settings", "terminal"];
/** Whoever takes an account along has no command for each operation by that. */
const isOfArchive = (folder: string) => /^account[\\/](export|import)$/.test(folder);

/** The code of all nouns, on one line and without spaces: a call may go over several lines. */
const code = readdirSync(sources, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && entry.parentPath !== sources)
  .filter(
    ({ parentPath }) => !notNouns.includes(parentPath.slice(sources.length + 1).split(/[\\/]/)[0] ?? ""),
  )
  .filter(({ parentPath }) => !isOfArchive(parentPath.slice(sources.length + 1)))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8").replace(/\s/g, ""))
  .join("");

const hasCommand = (id: string) => code.includes(`.${id}(`) || code.includes(`"${id}"`);

/** What the decision leaves to `promptreg api`: operations, or what their ids begin with. */
const leftToApi = readFileSync(decision, "utf8")
  .split("\n")
  .filter((line) => /^\| [A-Z]/.test(line))
  .flatMap((line) => line.split("|")[3]?.match(/(?<=`)[a-z][\w.]*(?=`)/gi) ?? []);
const isLeftToApi = (id: string) => leftToApi.some((one) => id === one || id.startsWith(`${one}.`));

describe("every operation has a command, or the decision on nouns says why not:", () => {
  test("this test reads the decision", () => {
    expect(leftToApi).toContain("prompts.draft");
    expect(hasCommand("prompts.labels.put")).toBe(true);
  });

  test.each(listOperations(contract).map(({ id }) => id))("%s", (id) => {
    expect({ hasCommand: hasCommand(id), isLeftToApi: isLeftToApi(id) }).toEqual(
      hasCommand(id) ? { hasCommand: true, isLeftToApi: false } : { hasCommand: false, isLeftToApi: true },
    );
  });
});
