import { createClient } from "@promptreg/client";
import { afterAll, describe, expect, test } from "vitest";
import { startReal } from "./real.ts";
import type { Around } from "./registry.ts";

const registry = await startReal();
afterAll(() => registry.close());
const client = createClient(registry);

/** Makes a prompt whose versions say their number. */
async function make(slug: string, versions: number) {
  const files = (n: number) => [{ path: "PROMPT.md", content: `Version ${n}\n` }];
  await client.prompts.create({
    body: { slug, kind: "text", title: slug, files: files(1), message: "First" },
  });
  for (let n = 2; n <= versions; n += 1)
    await client.prompts.versions.create({ owner: "ada", slug, body: { files: files(n) } });
}

const put = (slug: string, name: string, versionNumber: number, reason?: string) =>
  client.prompts.labels.put({ owner: "ada", slug, name, body: { versionNumber, reason } });
const yank = (slug: string, n: number) => client.prompts.versions.yank({ owner: "ada", slug, n, body: {} });
const label = (verb: string, ...args: string[]) => registry.cli(["label", verb, ...args]);
const whereIs = async (slug: string, name: string) =>
  (await client.prompts.labels.list({ owner: "ada", slug })).items.find((one) => one.name === name)
    ?.versionNumber;

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
      stderr: expect.stringContaining("There is no terminal to ask on: say yes with --yes."),
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
      stdout: "ada/there production is at version 2 already\n",
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
    expect(stderr).toContain("\u001b[31mBreaking: values that fitted before may be refused now.");
    expect(JSON.parse(stdout)).toMatchObject({ status: "moved", breaking: true });
  });

  test("leaves the end of a long difference to diff, but not what it means", async () => {
    await make("long", 1);
    const content = `${"{{name}}\n".repeat(300)}`;
    const body = { files: [{ path: "PROMPT.md", content }] };
    await client.prompts.versions.create({ owner: "ada", slug: "long", body });
    await put("long", "production", 1);
    const { stderr } = await label("move", "ada/long", "production", "2", "--yes");
    expect(stderr).toMatch(
      /\n… and 104 more lines, which promptreg diff shows\nvariables added: name\nBreaking: /,
    );
  });

  test.each([
    ["that is not there", "9", 4, "has no version 9."],
    ["that was yanked", "2", 5, "Version 2 of ada/aims was yanked and cannot be labelled."],
  ])("to a version %s is refused before anything is asked", async (_, aim, exitCode, message) => {
    if (aim === "9") await make("aims", 3);
    await yank("aims", 2);
    const refused = await registry.cli(["label", "move", "ada/aims", "production", aim], { answers: [true] });
    expect(refused).toMatchObject({ exitCode, asked: [], stderr: expect.stringContaining(message) });
  });

  test.each([
    ["2", "The label production of ada/expected is at version 1, and not at 2. Nothing was changed."],
    [
      "none",
      "The label production of ada/expected is at version 1, and was not to exist. Nothing was changed.",
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
      "The label production is at version 3, not where you expected it. Nothing was changed.",
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
    expect(late).toMatchObject({ exitCode: 0, stdout: "ada/agreed production is at version 2 already\n" });
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
      "Remove beta of ada/removed, now at version 1? Whoever asks for it will find nothing.",
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
    expect(newest.stderr).toBe("There are older moves: --limit 2 shows more.\n");
    expect((await label("blame", "ada/told", "production")).stdout).toMatch(
      /^production\tis at version 2\nby\tada\nsince\t.*\nreason\tGood evals\nbefore\tit was at version 1\n$/,
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
      stderr: expect.stringContaining("latest follows the versions by itself."),
    });
  });
});

describe("label rollback", () => {
  const rollback = (slug: string, ...options: string[]) =>
    label("rollback", `ada/${slug}`, "production", "--yes", ...options);

  test("goes back one move farther each time, and says so in the history", async () => {
    await make("back", 3);
    for (const n of [1, 2, 3]) await put("back", "production", n);
    expect((await rollback("back")).stdout).toBe("ada/back production: 3 → 2\n");
    expect((await rollback("back", "--reason", "Wrong tone")).stdout).toBe("ada/back production: 2 → 1\n");
    expect((await label("history", "ada/back", "production", "--limit", "2")).stdout).toMatch(
      /2 → 1\tada\tWrong tone\n.*3 → 2\tada\tRolled back from version 3\n$/,
    );
    const end = await rollback("back");
    expect(end.exitCode).toBe(5);
    expect(end.stderr).toContain("ada/back production is where it began, at version 1.");
  });

  test("never goes to what was rolled back before", async () => {
    await make("detour", 4);
    for (const n of [1, 2, 3, 2, 4]) await put("detour", "production", n);
    expect((await rollback("detour")).stdout).toContain("4 → 2");
    expect((await rollback("detour")).stdout).toContain("2 → 1");
  });

  test("passes over versions that were yanked, and says so", async () => {
    await make("yanked", 3);
    for (const n of [1, 2, 3]) await put("yanked", "production", n);
    await yank("yanked", 2);
    const { stdout, stderr } = await rollback("yanked");
    expect(stderr).toContain("The label was at version 2 before, but that was yanked and cannot be labelled");
    expect(stdout).toBe("ada/yanked production: 3 → 1\n");
    expect(await rollback("yanked", "--to", "2")).toMatchObject({ exitCode: 5, stdout: "" });
  });

  test("brings a label back that was removed", async () => {
    await make("revived", 2);
    for (const n of [1, 2]) await put("revived", "production", n);
    await label("remove", "ada/revived", "production", "--yes");
    expect((await rollback("revived")).stdout).toBe("ada/revived production: none → 2\n");
    expect((await rollback("revived")).stdout).toBe("ada/revived production: 2 → 1\n");
  });

  test("goes to any version where the label has been, and to no other", async () => {
    await make("farther", 4);
    for (const n of [1, 2, 3]) await put("farther", "production", n);
    expect(await rollback("farther", "--to", "4")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("production of ada/farther never was at version 4"),
    });
    expect((await rollback("farther", "--to", "1")).stdout).toBe("ada/farther production: 3 → 1\n");
  });

  test("shows what it changes and asks, as a move does", async () => {
    await make("wary", 2);
    for (const n of [1, 2]) await put("wary", "production", n);
    const args = ["label", "rollback", "ada/wary", "production"];
    const { asked, stderr } = await registry.cli(args, { answers: [false] });
    expect(stderr).toContain("\n-Version 2\n+Version 1\n");
    expect(asked).toEqual(["Move production of ada/wary from version 2 to 1?"]);
  });
});

describe("resolve", () => {
  const resolve = async (...args: string[]) =>
    JSON.parse((await registry.cli(["resolve", ...args, "--json"])).stdout);

  test("tells what an application gets, and since when", async () => {
    await make("resolved", 2);
    const { updatedAt } = await put("resolved", "production", 1, "Good evals");
    expect(await resolve("ada/resolved@production")).toMatchObject({
      ref: "ada/resolved",
      resolvedBy: { type: "label", value: "production" },
      versionNumber: 1,
      contentHash: expect.stringMatching(/^sha256:/),
      yanked: false,
      etag: expect.stringMatching(/^".*"$/),
      since: updatedAt,
    });
    expect(await resolve("ada/resolved")).toMatchObject({ versionNumber: 2, since: null });
    const { stdout } = await registry.cli(["resolve", "ada/resolved@production"]);
    expect(stdout).toMatch(
      /^prompt\tada\/resolved\nasked for\tproduction\nversion\t1\nmade\t.*\nlabelled\t.* by ada: Good evals\nhash\tsha256:.*\netag\t.*\n$/,
    );
  });

  test("tells what one got at another time", async () => {
    await make("past", 2);
    const { updatedAt: first } = await put("past", "production", 1);
    await registry.clock.advance(3_600_000);
    await put("past", "production", 2);
    expect(await resolve("ada/past@production", "--at", first)).toMatchObject({
      versionNumber: 1,
      at: first,
      since: first,
    });
    // Our own clock tells how long ago a moment was: what the registry did an hour from now was not yet.
    expect(await resolve("ada/past@production", "--at", "0m")).toMatchObject({ versionNumber: 1 });
    expect((await registry.cli(["resolve", "ada/past@production", "--at", "2d"])).exitCode).toBe(4);
  });

  test.each([
    [["ada/past", "--at", "2h"], "write owner/slug@production with --at"],
    [["ada/past@production", "--at", "yesterday"], "Write a time with its offset"],
    [["ada/past@production", "--at", "2026-11-20T09:30"], "Write a time with its offset"],
    [["ada/past@production", "--at", "2026-13-20"], "Write a time with its offset"],
  ])("refuses %j as a mistake", async (args, message) => {
    const { exitCode, stderr } = await registry.cli(["resolve", ...args]);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });

  test("says that a version was yanked, and when there is none left", async () => {
    await make("none", 1);
    await yank("none", 1);
    expect(await resolve("ada/none@1")).toMatchObject({ versionNumber: 1, yanked: true });
    const { exitCode, stderr } = await registry.cli(["resolve", "ada/none"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 4,
      stderr: "error: ada/none has no version that can be used: all were yanked.\n",
    });
  });
});
