import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { createProgram } from "../src/program.ts";
import { cli } from "./registry.ts";

describe("help", () => {
  test("groups the commands by what they are about, with examples", async () => {
    const { stdout } = await cli(["--help"]);
    expect(stdout).toMatch(/^Prompts:\n {2}\w+ +\S/m);
    expect(stdout).toMatch(/^For example:\n {2}promptreg /m);
  });

  test("of a command within a noun is shown by its names", async () => {
    const [named, asked] = await Promise.all([
      cli(["help", "label", "move"]),
      cli(["label", "move", "--help"]),
    ]);
    expect(named).toEqual(asked);
    expect(named.stdout).toContain("Usage: promptreg label move|set [options] <prompt> <label> <version>");
    expect(named.exitCode).toBe(0);
  });

  test("of a command that does not exist names the one that was meant", async () => {
    const { exitCode, stderr } = await cli(["help", "label", "mvoe"]);
    expect(stderr).toContain("Unknown command label mvoe. Did you mean move?");
    expect(exitCode).toBe(2);
  });

  test.each([[[]], [["label"]]])("is the answer to a command line without a verb: %j", async (args) => {
    const { exitCode, stdout, stderr } = await cli(args);
    expect(stderr).toContain("Usage: promptreg");
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  });

  test("of every command fits into 80 columns, but for examples, which nobody could paste in parts", {
    tags: "long",
  }, async () => {
    const stream = { write: () => {} };
    const stdin = (async function* () {})();
    const program = createProgram({ stdout: stream, stderr: stream, stdin, env: {} }, () => {});
    const namesOf = (command: Command, names: readonly string[]): (readonly string[])[] => [
      names,
      ...command.commands.flatMap((one) => namesOf(one, [...names, one.name()])),
    ];
    for (const names of namesOf(program, [])) {
      const { stdout } = await cli([...names, "--help"]);
      const wide = stdout.split("\n").filter((line) => line.length > 80 && !line.startsWith("  promptreg "));
      expect([names, wide]).toEqual([names, []]);
    }
  });

  test("is coloured on terminals alone, and as wide as they are", async () => {
    const piped = await cli(["--help"]);
    expect(piped.stdout).not.toContain("\u001b");
    const { stdout } = await cli(["--help"], { isTTY: true, columns: 120 });
    expect(stdout).toContain("\u001b[1mPrompts:\u001b[22m");
    expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeGreaterThan(80);
  });
});
