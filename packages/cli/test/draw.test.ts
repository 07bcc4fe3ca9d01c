import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resultSchema } from "../src/requests/result-schema.ts";
import { drawAnswer } from "../src/terminal/draw.ts";
import { createOutput } from "../src/terminal/output.ts";
import { labelling } from "./labelled.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const { make, put } = labelling(registry);
const onTerminal = (args: string) =>
  registry.cli(args.split(" "), { isTTY: true, columns: 120, env: { NO_COLOR: "1" } });

beforeAll(async () => {
  await make("reply", 1);
  await put("reply", "production", 1);
});
afterAll(() => registry.close());

/** Draws an answer of an operation as a pipe gets it. */
function drawn(id: string, data: unknown): string {
  const stream = { write: () => {} };
  const schema = resultSchema(id);
  if (schema === undefined) throw new Error(`${id} answers with no JSON.`);
  const stdin = (async function* () {})();
  return drawAnswer(data, schema, createOutput({ stdout: stream, stderr: stream, stdin, env: {} }));
}

describe("a list that no command draws by hand is a table of its schema:", () => {
  test("what names an item comes first, its title last, and times are as people say them", async () => {
    expect((await onTerminal("watch --list")).stdout.trim().split(/\s*\n/)).toEqual([
      "prompt     level  watched   title",
      "ada/reply  all    just now  reply",
    ]);
  });

  test("promptreg api shows one on a terminal, and says how to see all fields", async () => {
    const { stdout, stderr } = await onTerminal("api prompts.labels.list owner=ada slug=reply");
    expect(stdout).toMatch(
      /^name +version +updated +system +reason +updated by\n(.+\n)*production +1 +just now +no/,
    );
    expect(stderr).toBe("--json shows all fields.\n");
  });

  test.each(["api prompts.labels.list owner=ada slug=reply --json", "api GET /me"])(
    "what is no list, or asked for as JSON, stays JSON on a terminal: %s",
    async (args) => {
      expect(JSON.parse((await onTerminal(args)).stdout)).toEqual(expect.any(Object));
    },
  );

  test("promptreg api gives JSON to a pipe", async () => {
    const { stdout } = await registry.cli(["api", "prompts.labels.list", "owner=ada", "slug=reply"]);
    expect(JSON.parse(stdout)).toMatchObject({ nextCursor: null });
  });
});

describe("one thing is drawn as fields:", () => {
  const at = "2026-11-20T10:00:00.000Z";

  test("absent values as none, the account as its handle, a truth as yes or no", () => {
    const label = { name: "production", versionNumber: 3, reason: null, updatedAt: at, system: false };
    expect(drawn("prompts.labels.put", { ...label, updatedBy: { id: "usr_1", handle: "ada" } })).toBe(
      `name\tproduction\nversion\t3\nreason\tnone\nupdated\t${at}\nupdated by\tada\nsystem\tno`,
    );
  });

  test("fields in fields by both names, and a list of things as a table", () => {
    expect(drawn("watch.put", { watch: { level: "all", watchedAt: at } })).toBe(
      `watch level\tall\nwatch watched\t${at}`,
    );
    const file = { path: "PROMPT.md", status: "modified", binary: false, modeChanged: false };
    const diff = { stats: { files: 1, additions: 2, deletions: 0 }, files: [file] };
    expect(drawn("prompts.diff", diff)).toMatch(/^stats\t1 file, 2 additions\n\nfiles\n.*modified/);
  });

  test("whatever a server sends that does not fit", () => {
    for (const data of [null, 3, "text", [], {}, { watch: 3 }, { watch: { level: { a: 1 }, watchedAt: [] } }])
      expect(drawn("watch.put", data)).toEqual(expect.any(String));
    expect(drawn("watch.list", { items: [null, 3, { prompt: "text", level: null }] })).toMatch(
      /^.*\n.*\n.*$/,
    );
  });
});
