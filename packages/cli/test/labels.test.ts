import { afterAll, describe, expect, test } from "vitest";
import { labelling } from "./labelled.ts";
import { startReal } from "./real.ts";
import type { Around } from "./registry.ts";

const registry = await startReal();
afterAll(() => registry.close());
const { client, make, put, yank, label, whereIs } = labelling(registry);

/** Lets something happen just before a label is moved, as someone else who was faster would. */
const meanwhile = (happens: () => Promise<unknown>): Around => ({
  async fetch(url, init) {
    const method = url instanceof Request ? url.method : init?.method;
    if (method === "PUT" || method === "DELETE") await happens();
    return registry.fetch(url, init);
  },
});

describe("label move", () => {
  test("shows from, to and the difference, asks, and says what it did", async () => {
    await make("asked", 2);
    await put("asked", "production", 1);
    const args = ["label", "move", "ada/asked", "production", "2", "--reason", "Good evals"];
    const { asked, exitCode, stdout, stderr } = await registry.cli(args, { answers: [true] });
    expect(stderr).toMatch(
      /^ada\/asked production\n {2}from {2}version 1 {2}just now by ada {2}First\n {2}to {4}version 2 /,
    );
    expect(stderr).toContain("\n-Version 1\n+Version 2\n");
    expect(asked).toEqual(["Move production of ada/asked from version 1 to 2?"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "ada/asked production: 1 → 2\n" });
    const { items } = await client.prompts.labels.history({
      owner: "ada",
      slug: "asked",
      name: "production",
    });
    expect(items[0]).toMatchObject({ toVersionNumber: 2, reason: "Good evals" });
  });

  test("moves nothing after a no", async () => {
    await make("refused", 2);
    await put("refused", "production", 1);
    const args = ["label", "move", "ada/refused", "production", "2"];
    expect(await registry.cli(args, { answers: [false] })).toMatchObject({ exitCode: 130, stdout: "" });
    expect(await registry.cli(args)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("There is no terminal to ask on. Answer with --yes."),
    });
    expect(await whereIs("refused", "production")).toBe(1);
  });

  test("takes another label, or latest, as its aim", async () => {
    await make("aimed", 3);
    await put("aimed", "staging", 2);
    const { stdout } = await label("move", "ada/aimed", "production", "staging", "--yes", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ ref: "ada/aimed", status: "created", from: null, to: 2 });
    expect((await label("move", "ada/aimed", "production", "latest", "-y")).stdout).toContain("2 → 3");
    const wrong = await label("move", "ada/aimed", "production", "stagin", "-y");
    expect(wrong.exitCode).toBe(4);
    expect(wrong.stderr).toContain("ada/aimed has no label stagin. Did you mean staging?");
  });

  test("to where it is already changes nothing, and asks nothing", async () => {
    await make("there", 2);
    await put("there", "production", 2);
    const again = await label("move", "ada/there", "production", "2", "--expect", "1");
    expect(again).toMatchObject({
      exitCode: 0,
      stdout: "ada/there production is already at version 2\n",
      stderr: "",
    });
  });

  test("asks whether a label that is nearly another is meant", async () => {
    await make("near", 1);
    await put("near", "production", 1);
    const args = ["label", "move", "ada/near", "prodution", "1"];
    const { asked } = await registry.cli(args, { answers: [false] });
    expect(asked).toEqual(["Create the label prodution of ada/near at version 1? Did you mean production?"]);
  });

  test("says in red when values that fitted would be refused", async () => {
    await make("breaking", 1);
    const files = [{ path: "PROMPT.md", content: "Hello {{name}}\n" }];
    await client.prompts.versions.create({ owner: "ada", slug: "breaking", body: { files } });
    await put("breaking", "production", 1);
    const args = ["label", "move", "ada/breaking", "production", "2", "--yes", "--json"];
    const { stdout, stderr } = await registry.cli(args, { isTTY: true });
    expect(stderr).toContain("\u001b[31mBreaking: values that were valid before may be refused now.");
    expect(JSON.parse(stdout)).toMatchObject({ status: "moved", breaking: true });
  });

  test("leaves the end of a long difference to diff, but not what it means", async () => {
    await make("long", 1);
    const content = "{{name}}\n".repeat(300);
    const body = { files: [{ path: "PROMPT.md", content }] };
    await client.prompts.versions.create({ owner: "ada", slug: "long", body });
    await put("long", "production", 1);
    const { stderr } = await label("move", "ada/long", "production", "2", "--yes");
    expect(stderr).toMatch(/\n… and 104 more lines: see promptreg diff\nvariables added: name\nBreaking: /);
  });

  test.each([
    ["that is not there", "9", 4, "has no version 9."],
    ["that was yanked", "2", 5, "Version 2 of ada/aims is yanked and cannot be labelled."],
  ])("to a version %s is refused before anything is asked", async (_, aim, exitCode, message) => {
    if (aim === "9") await make("aims", 3);
    await yank("aims", 2);
    const refused = await registry.cli(["label", "move", "ada/aims", "production", aim], { answers: [true] });
    expect(refused).toMatchObject({ exitCode, asked: [], stderr: expect.stringContaining(message) });
  });

  test.each([
    [
      "2",
      "The label production of ada/expected is at version 1, but --expect requires version 2. Nothing was changed.",
    ],
    [
      "none",
      "The label production of ada/expected is at version 1, but --expect none requires that it does not. Nothing was changed.",
    ],
  ])("with --expect %s goes only from there", async (expected, message) => {
    if (expected === "2") await make("expected", 3);
    await put("expected", "production", 1);
    const refused = await label("move", "ada/expected", "production", "3", "--expect", expected, "--yes");
    expect(refused).toMatchObject({ exitCode: 5, stdout: "", stderr: `error: ${message}\n` });
    expect((await label("move", "ada/expected", "production", "3", "--expect", "1", "--yes")).exitCode).toBe(
      0,
    );
  });

  test("does only what was shown: someone who is faster wins, and is told of", async () => {
    await make("raced", 3);
    await put("raced", "production", 1);
    const args = ["label", "move", "ada/raced", "production", "2", "--yes"];
    const late = await registry.cli(
      args,
      meanwhile(() => put("raced", "production", 3)),
    );
    expect(late).toMatchObject({ exitCode: 5, stdout: "" });
    expect(late.stderr).toContain(
      "The label production points to version 3. You expected version 1. Nothing was changed.",
    );
    expect(await whereIs("raced", "production")).toBe(3);
  });

  test("agrees with someone who moved it to the same version meanwhile", async () => {
    await make("agreed", 2);
    await put("agreed", "production", 1);
    const args = ["label", "move", "ada/agreed", "production", "2", "--yes"];
    const late = await registry.cli(
      args,
      meanwhile(() => put("agreed", "production", 2)),
    );
    expect(late).toMatchObject({ exitCode: 0, stdout: "ada/agreed production is already at version 2\n" });
  });
});

describe("label remove", () => {
  test("asks, and removes the label but not its history", async () => {
    await make("removed", 1);
    await put("removed", "beta", 1);
    const { asked, stdout } = await registry.cli(["label", "remove", "ada/removed", "beta"], {
      answers: [true],
    });
    expect(asked).toEqual([
      "Remove beta of ada/removed, now at version 1? Applications that use it will get nothing.",
    ]);
    expect(stdout).toBe("ada/removed beta: 1 → none\n");
    expect((await label("history", "ada/removed", "beta")).stdout).toMatch(
      /\t1 → none\tada\t\n.*\tnone → 1\tada\t\n$/,
    );
    expect(await label("remove", "ada/removed", "beta", "--yes")).toMatchObject({ exitCode: 4 });
  });

  test("leaves a label that went elsewhere meanwhile", async () => {
    await make("kept", 2);
    await put("kept", "beta", 1);
    const late = await registry.cli(
      ["label", "remove", "ada/kept", "beta", "--yes"],
      meanwhile(() => put("kept", "beta", 2)),
    );
    expect(late.exitCode).toBe(5);
    expect(await whereIs("kept", "beta")).toBe(2);
  });
});

describe("label list, history and blame", () => {
  test("tell where labels are since when, how they came there, and who did it", async () => {
    await make("told", 2);
    await put("told", "production", 1);
    await put("told", "production", 2, "Good evals");
    const time = "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z";
    expect((await label("list", "ada/told")).stdout).toMatch(
      new RegExp(`^latest\t2\t${time}\tada\nproduction\t2\t${time}\tada\n$`),
    );
    const newest = await label("history", "ada/told", "production", "--limit", "1");
    expect(newest.stdout).toMatch(new RegExp(`^${time}\t1 → 2\tada\tGood evals\n$`));
    expect(newest.stderr).toBe("There are older moves. --limit shows more of them.\n");
    expect((await label("blame", "ada/told", "production")).stdout).toMatch(
      /^production\tis at version 2\nby\tada\ntoken\ttest\nsince\t.*\nreason\tGood evals\nbefore\tversion 1\n$/,
    );
  });

  test("line up on a terminal, under headings", async () => {
    await make("lined", 1);
    await put("lined", "production", 1);
    const { stdout } = await registry.cli(["label", "list", "ada/lined"], {
      isTTY: true,
      env: { NO_COLOR: "1" },
    });
    expect(stdout).toBe(
      "label       version  since     by\nlatest      1        just now  ada\nproduction  1        just now  ada\n",
    );
  });

  test("of what never was are not found, and latest has no history", async () => {
    await make("never", 1);
    expect((await label("history", "ada/never", "production")).exitCode).toBe(4);
    expect((await label("blame", "ada/never", "production")).exitCode).toBe(4);
    expect(await label("blame", "ada/never", "latest")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("latest always points at the newest version. It cannot be moved."),
    });
  });
});
