import { afterAll, afterEach, describe, expect, test } from "vitest";
import { promptOf, versionOf } from "./prompts.ts";
import { refusal, startRegistry } from "./registry.ts";

const registry = await startRegistry();
afterEach(registry.reset);
afterAll(registry.close);

const variable = (name: string) => ({ name, type: "text" as const, required: true, default: null });

describe("diff", () => {
  async function hold() {
    const one = await versionOf(
      1,
      { "PROMPT.md": "Dear {{name}}\nBye\n", "old.md": "x" },
      { variables: [variable("name")] },
    );
    const changed = { variables: [variable("name"), variable("tone")], config: { model: "m" } };
    const two = await versionOf(2, { "PROMPT.md": "Hello {{name}}, {{tone}}\u001b[2J\nBye\n" }, changed);
    registry.answer("GET /prompts/ada/reply/versions/1", { json: one });
    registry.answer("GET /prompts/ada/reply?view=version&label=staging", { json: { version: two } });
    registry.answer("GET /prompts/ada/reply?view=version", { json: { version: two } });
  }

  test("shows the files line by line, and what it means for those who fill them in", async () => {
    await hold();
    const { exitCode, stdout } = await registry.cli(["diff", "ada/reply", "1..staging"]);
    expect(stdout).toBe(
      `${[
        "--- a/PROMPT.md",
        "+++ b/PROMPT.md",
        "@@ -1,2 +1,2 @@",
        "-Dear {{name}}",
        "+Hello {{name}}, {{tone}}\u001b[2J",
        " Bye",
        "--- a/old.md",
        "+++ /dev/null",
        "@@ -1,1 +0,0 @@",
        "-x",
        "\\ No newline at end of file",
        "variables added: tone",
        "settings changed: model",
        "Breaking: values that fitted before may be refused now.",
      ].join("\n")}\n`,
    );
    expect(exitCode).toBe(0);
  });

  test("is harmless on a terminal, and painted", async () => {
    await hold();
    const { stdout } = await registry.cli(["diff", "ada/reply", "1..latest"], { isTTY: true });
    expect(stdout).toContain("\u001b[32m+Hello {{name}}, {{tone}}\\x1b[2J\u001b[39m");
  });

  test("in JSON has the form in which the API speaks of one", async () => {
    await hold();
    const { stdout } = await registry.cli(["diff", "ada/reply", "1..staging", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      from: { n: 1 },
      to: { n: 2 },
      stats: { files: 2, additions: 1, deletions: 2 },
      files: [
        {
          path: "PROMPT.md",
          status: "modified",
          binary: false,
          hunks: [
            {
              oldStart: 1,
              lines: [
                { type: "del", text: "Dear {{name}}" },
                { type: "add", text: "Hello {{name}}, {{tone}}\u001b[2J" },
                { type: "context", text: "Bye" },
              ],
            },
          ],
        },
        { path: "old.md", status: "removed", hunks: [{ lines: [{ type: "del", text: "x" }] }] },
      ],
      variables: { added: ["tone"], removed: [], changed: [], breaking: true },
      config: { changed: ["model"] },
    });
  });

  test("says so when there is none", async () => {
    await hold();
    const { stdout } = await registry.cli(["diff", "ada/reply", "1..1"]);
    expect(stdout).toBe("Versions 1 and 1 are equal.\n");
  });

  test("of a version that is not there is not found", async () => {
    await hold();
    expect((await registry.cli(["diff", "ada/reply", "1..9"])).exitCode).toBe(4);
  });
});

describe("label move", () => {
  const put = "PUT /prompts/ada/reply/labels/production";

  async function hold(labels: Record<string, number>) {
    registry.answer("GET /prompts/ada/reply", { json: promptOf(await versionOf(4, {}), { labels }) });
    registry.answer(put, { json: { name: "production", versionNumber: 4 } });
  }
  const body = () => registry.seen.at(-1)?.body;

  test("says where the label was and where it is", async () => {
    await hold({ production: 3 });
    const args = ["label", "move", "ada/reply", "production", "4", "--reason", "good evals", "--expect", "3"];
    expect((await registry.cli(args)).stdout).toBe("ada/reply production: 3 → 4\n");
    expect(body()).toEqual({ versionNumber: 4, reason: "good evals", expectedVersionNumber: 3 });
  });

  test("can insist that the label is new", async () => {
    await hold({});
    const args = ["label", "move", "ada/reply", "production", "4", "--expect", "none", "--json"];
    const { stdout } = await registry.cli(args);
    expect(JSON.parse(stdout)).toMatchObject({ ref: "ada/reply", from: null, to: 4 });
    expect(body()).toEqual({ versionNumber: 4, expectedVersionNumber: null });
  });

  test("that someone else was faster with exits with 5", async () => {
    await hold({ production: 3 });
    registry.answer(put, refusal(409, "label_conflict"));
    const args = ["label", "move", "ada/reply", "production", "4", "--expect", "2"];
    expect((await registry.cli(args)).exitCode).toBe(5);
  });
});
