import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contract, listOperations } from "@promptreg/core";
import { summaries } from "@promptreg/core/summaries";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exitCodes } from "../src/exit-codes.ts";
import { startReal } from "./real.ts";
import { cli } from "./registry.ts";

const registry = await startReal();
const folder = await mkdtemp(join(tmpdir(), "promptreg-api-"));
afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true });
});

const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

beforeAll(async () => {
  for (const slug of ["reply", "greeting", "farewell"]) {
    const files = [{ path: "PROMPT.md", content: "Hello {{name}}" }];
    const body = JSON.stringify({ slug, title: `About ${slug}`, kind: "text", files });
    await registry.cli(["api", "prompts.create", "--body", body]);
  }
});

describe("any operation is called", () => {
  test("by its id, with what belongs into its path, query and body by name", async () => {
    const args = ["owner=ada", "slug=reply", "name=beta", "versionNumber:=1", "reason=good evals"];
    const { stdout } = await registry.cli(["api", "prompts.labels.put", ...args]);
    expect(JSON.parse(stdout)).toMatchObject({ name: "beta", versionNumber: 1, reason: "good evals" });
  });

  test.each([
    [["GET", "/prompts/ada/reply"]],
    [["get", "/api/v1/prompts/ada/reply?label=beta"]],
    [["/prompts/ada/reply", "label=beta"]],
    [["prompts.get", "owner=ada", "slug=reply", "label=beta"]],
  ])("by what stands in a log or in the reference: %j", async (args) => {
    const { stdout } = await registry.cli(["api", ...args]);
    expect(JSON.parse(stdout)).toMatchObject({ ref: "ada/reply" });
  });

  test("with a body from a file or from standard input, and fields that go over it", async () => {
    const path = file("label.json", '{"versionNumber": 1, "reason": "from a file"}');
    const label = ["api", "PUT", "/prompts/ada/reply/labels/gamma"];
    const given = await registry.cli([...label, "--body", path, "reason=mine"]);
    expect(JSON.parse(given.stdout)).toMatchObject({ name: "gamma", reason: "mine" });
    const piped = await registry.cli([...label, "--body", "-"], { stdin: '{"versionNumber": 1}' });
    expect(piped.exitCode).toBe(0);
  });

  test("with the content of a file as a field", async () => {
    const path = file("reason.txt", "Because\nof this");
    const label = ["api", "PUT", "/prompts/ada/reply/labels/delta", "versionNumber:=1", `reason=@${path}`];
    expect(JSON.parse((await registry.cli(label)).stdout)).toMatchObject({ reason: "Because\nof this" });
  });

  test("with a form", async () => {
    const args = ["POST", "/notifications/unsubscribe", "t=no-token", "List-Unsubscribe=One-Click", "--form"];
    const { stderr } = await registry.cli(["api", ...args]);
    const paths = registry.requests.map(({ path }) => path);
    expect(paths).toContainEqual(expect.stringContaining("unsubscribe?t=no-token"));
    expect(stderr).toContain("This link is incomplete");
  });

  test("with a file as it is, of the type that a header names", async () => {
    const created = await registry.cli(["api", "evals.datasets.create", "prompt=ada/reply", "name=Table"]);
    const { id } = JSON.parse(created.stdout);
    const call = ["api", "evals.datasets.import", `id=${id}`, "mode=append"];
    const help = await registry.cli(["api", "evals.datasets.import", "--help"]);
    expect(help.stdout).toContain("import id=… --body file --header content-type=text/csv\n");
    const typed = [...call, "--header", "content-type=text/csv"];
    const first = await registry.cli([...typed, "--body", `@${file("cases.csv", "name\nÄda\n")}`]);
    expect(JSON.parse(first.stdout)).toMatchObject({ added: 1 });
    const second = await registry.cli([...typed, "--body", "-"], { stdin: "name\n[Bob]\n" });
    expect(JSON.parse(second.stdout)).toMatchObject({ added: 1 });
    const { stdout } = await registry.cli(["api", "evals.datasets.cases.list", `id=${id}`]);
    expect(JSON.parse(stdout).items).toMatchObject([
      { variables: { name: "Äda" } },
      { variables: { name: "[Bob]" } },
    ]);
    expect((await registry.cli([...typed, "name=x"])).stderr).toContain("has no fields, such as name");
    const untyped = await registry.cli([...call, "--body", file("cases.csv", "name\nAda\n")]);
    expect(untyped.stderr).toContain("such as --header content-type=text/csv");
  });

  test("with headers, and its answer's are shown beside the result", async () => {
    const read = ["api", "GET", "/prompts/ada/reply"];
    const { stdout, stderr } = await registry.cli([...read, "--include"]);
    expect(JSON.parse(stdout)).toMatchObject({ slug: "reply" });
    const [, etag = ""] = /^etag: (.*)$/m.exec(stderr) ?? [];
    expect(stderr).toMatch(/^200/);
    const stale = ["api", "PATCH", "/prompts/ada/reply", "title=New", "--header"];
    expect((await registry.cli([...stale, 'if-match="other"'])).exitCode).toBe(exitCodes.conflict[0]);
    expect((await registry.cli([...stale, `If-Match: ${etag}`])).exitCode).toBe(exitCodes.ok[0]);
  });

  test("in another medium", async () => {
    const { stdout } = await registry.cli(["api", "GET", "/prompts/ada/reply/raw"]);
    expect(stdout).toBe("Hello {{name}}");
  });
});

describe("a list", () => {
  test("is followed to its end, a line of JSON for each item", async () => {
    const { stdout } = await registry.cli(["api", "prompts.list", "owner=me", "limit=1", "--paginate"]);
    const items = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).slug);
    expect(items.sort()).toEqual(["farewell", "greeting", "reply"]);
  });

  test("is all that can be followed", async () => {
    const { exitCode, stderr } = await registry.cli(["api", "GET", "/me", "--paginate"]);
    expect(stderr).toContain("users.me.get is not a list");
    expect(exitCode).toBe(2);
  });
});

describe("a mistake is told before anything is sent:", () => {
  test.each([
    [["prompts.gte"], "Did you mean prompts.get?"],
    [["GET", "/promts/ada/reply"], "Did you mean /prompts?"],
    [["DELETE", "/me"], "Its methods: GET, PATCH."],
    [["GET", "me"], "Write a path after GET"],
    [["prompts.get", "owner=ada"], "so it also needs slug=…. `promptreg api prompts.get --help` shows more."],
    [["users.me.get", "what"], "does not have the form name=value"],
    [["prompts.get", "owner=..", "slug=me"], '"owner" cannot be "..": it is a part of a path.'],
    [["users.me.get", "--header", "Authorization: Bearer prt_x"], "It comes from the profile"],
    [["users.me.get", "--header", "x"], "does not have the form name=value"],
  ])("%j", async (args, hint) => {
    const before = registry.requests.length;
    const { exitCode, stdout, stderr } = await registry.cli(["api", ...args]);
    expect(stderr).toContain(hint);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(registry.requests.length).toBe(before);
  });

  test.each([
    [["webhooks.create", "--body", "{url: 1}"], "The body is not valid JSON"],
    [["webhooks.create", "events:=ping"], "For text, write = instead of :=."],
  ])("%j", async (args, hint) => {
    const { exitCode, stderr } = await registry.cli(["api", ...args]);
    expect(stderr).toContain(hint);
    expect(exitCode).toBe(6);
  });
});

describe("help", () => {
  test("lists all operations", async () => {
    const { stdout } = await cli(["api"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(listOperations(contract).length);
    expect(stdout).toMatch(/^users\.me\.get\tGET\t\/me$/m);
  });

  test("tells what an operation needs", async () => {
    const { stdout } = await cli(["api", "prompts.labels.history", "--help"]);
    expect(stdout).toContain("prompts.labels.history  GET /prompts/{owner}/{slug}/labels/{name}/history\n");
    expect(stdout).toMatch(/^ {2}owner=… +The handle of the account that owns it\.$/m);
    expect(stdout).toMatch(/^ {2}cursor=… +The `nextCursor`/m);
    expect(stdout).toContain("/reference#prompts.labels.history");
  });

  test("has an example with every field that is required", async () => {
    const { stdout } = await cli(["api", "search.suggest", "--help"]);
    expect(stdout).toMatch(/^Query \(required\):\n {2}q=… +The beginning of a title/m);
    expect(stdout).toContain("  promptreg api search.suggest q=…\n");
    expect((await registry.cli(["api", "search.suggest", "q=…"])).exitCode).toBe(0);
  });

  test("names everything that a query takes, which is how fields of a body are told from it", () => {
    const neverReported = listOperations(contract).flatMap(({ id, operation }) => {
      const { shape = {} } = (operation.query ?? {}) as { shape?: object };
      const said = (summaries as Record<string, { query?: object }>)[id]?.query ?? {};
      return Object.keys(shape).flatMap((name) => (Object.hasOwn(said, name) ? [] : [`${id} ${name}`]));
    });
    expect(neverReported).toEqual([]);
  });
});
