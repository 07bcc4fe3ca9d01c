import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { explain, nameFault } from "../src/errors.ts";
import { makeHome } from "./folders.ts";
import { cli } from "./registry.ts";

const home = await makeHome();
const file = home.place();
beforeAll(() => writeFile(file, "{}"));

const long = "a".repeat(300);
const notThere = "it does not exist, or nothing can be created there";
const belowFile = "a part of its path is a file, not a folder";

describe("a command that the system does not let read or write says in words where and why, and ends with 6", () => {
  test.each([
    [["init", "/proc/mine"], `/proc/mine cannot be written: ${notThere}. It has no manifest.`],
    [["init", join(file, "x")], `${file}/x cannot be read: ${belowFile}.`],
    [["init", long], `${long} cannot be read: the name is too long. Use a shorter one.`],
    [["check", join(file, "x")], `${file}/x cannot be read: ${belowFile}.`],
    [["ci", "--file", "/tmp"], "/tmp cannot be read: it is a folder, not a file."],
    [["lock", "--file", join(file, "x")], `${file}/x cannot be read: ${belowFile}.`],
    [["pull", "a/b", "--into", file], `${file} cannot be read: ${belowFile}.`],
  ])("%j", async (args, message) => {
    const { stderr, exitCode } = await cli(args);
    expect({ stderr, exitCode }).toEqual({ stderr: `error: ${message}\n`, exitCode: 6 });
  });

  test("whichever call of the system it was", async () => {
    const error = await readFile(join(file, "x")).catch(nameFault);
    expect(explain(error)).toEqual({
      code: "refused_input",
      message: `${file}/x cannot be used: ${belowFile}.`,
      details: [],
    });
  });

  test("a login that cannot be stored", async () => {
    const { stderr } = await cli(["config"], { env: { XDG_CONFIG_HOME: file } });
    expect(stderr).toBe(`error: ${file}/promptreg/config.json cannot be read: ${belowFile}.\n`);
  });
});
