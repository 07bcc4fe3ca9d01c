import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CaseInput, createClient } from "@promptreg/client";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startReal } from "./real.ts";
import type { Around } from "./registry.ts";

const registry = await startReal();
const { baseUrl, token, fetch } = registry;
const client = createClient({ baseUrl, token, fetch });
const folder = await mkdtemp(join(tmpdir(), "promptreg-datasets-"));
afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true });
});
beforeAll(async () => {
  const files = [{ path: "PROMPT.md", content: "Hello {{name}}" }];
  await client.prompts.create({ body: { kind: "text", slug: "reply", title: "Reply", files } });
});

const dataset = (args: string, around: Around = {}) =>
  registry.cli(["dataset", ...args.replaceAll("FOLDER", folder).split(" ")], around);
const file = (name: string) => join(folder, name);
const items = async () => (await client.evals.datasets.list({ query: { prompt: "ada/reply" } })).items;
const idOf = async (name: string) => (await items()).find((one) => one.name === name)?.id ?? "";
const casesOf = async (name: string) => {
  const list = client.evals.datasets.cases.list({ id: await idOf(name) });
  const all = [];
  for await (const { id: _, position: __, ...one } of list) all.push(one);
  return all;
};
let count = 0;
/** A new dataset with these cases. */
async function filled(cases: CaseInput[]): Promise<string> {
  const name = `set-${(count += 1)}`;
  const { id } = await client.evals.datasets.create({ body: { prompt: "ada/reply", name } });
  if (cases.length > 0) await client.evals.datasets.cases.create({ id, body: { cases } });
  return name;
}

describe("a dataset", () => {
  test("is created, listed, shown, edited and deleted", async () => {
    expect((await dataset("list ada/reply")).stderr).toBe("There are no datasets.\n");
    const created = await dataset("create ada/reply refunds --description Late");
    expect(created.stdout).toBe('ada/reply "refunds" is created, and private\n');
    expect((await dataset("import ada/reply refunds -", { stdin: "key,expected\na,Hello\n" })).stdout).toBe(
      "standard input: 1 case added, 0 there already\n",
    );
    const keyed = await dataset("import ada/reply refunds - --dry-run", { stdin: "expected, Key\nHi,b\n" });
    expect(keyed.stderr).toBe("");
    const keyless = await dataset("import ada/reply refunds - --dry-run", { stdin: "keys,expected\nb,Hi\n" });
    expect(keyless.stderr).toMatch(/^These cases have no key: another import of this file adds them again\./);
    expect((await dataset("list ada/reply")).stdout).toMatch(/^refunds\t1\t2\tprivate\t.*\tLate\n$/);
    expect((await dataset("show ada/reply refunds")).stdout).toMatch(/refunds[^]*a\t\t{}\tHello\n$/);
    expect(JSON.parse((await dataset("show ada/reply refunds --json")).stdout)).toMatchObject({
      name: "refunds",
      cases: [{ key: "a" }],
    });
    expect((await dataset("edit ada/reply refunds --name returns --no-description")).stdout).toBe(
      'ada/reply "returns" is edited\n',
    );
    expect(await items()).toMatchObject([{ name: "returns", description: null }]);
    const changed = await dataset("delete ada/reply returns", {
      confirm: async () => (await dataset("edit ada/reply returns --description Mine")).exitCode === 0,
    });
    expect(changed.exitCode).toBe(5);
    const kept = await dataset("delete ada/reply returns", { answers: [false] });
    expect([kept.exitCode, kept.asked[0]]).toEqual([130, expect.stringContaining("with its 1 case")]);
    expect((await dataset("delete ada/reply returns --yes")).stdout).toBe('ada/reply "returns" is deleted\n');
    expect(await items()).toEqual([]);
  });

  test("that is not there is named, with the one that was meant", async () => {
    const name = await filled([]);
    const { exitCode, stderr } = await dataset(`show ada/reply ${name}x`);
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`ada/reply has no dataset "${name}x". Did you mean ${name}?`);
  });

  test("shows its first cases, or those with a tag, and that there are more", async () => {
    const name = await filled([{ key: "a", tags: ["late"] }, { key: "b" }, { key: "c", tags: ["late"] }]);
    const shown = async (options: string) => {
      const { cases, hasMore } = JSON.parse(
        (await dataset(`show ada/reply ${name} --json ${options}`)).stdout,
      );
      return [cases.map(({ key }: { key: string }) => key), hasMore];
    };
    expect(await shown("--tag late")).toEqual([["a", "c"], false]);
    expect(await shown("--limit 2")).toEqual([["a", "b"], true]);
    expect(await shown("--limit 3")).toEqual([["a", "b", "c"], false]);
  });

  test("is made public only after saying what others see", async () => {
    const name = await filled([{ key: "a" }]);
    const edit = `edit ada/reply ${name} --visibility public`;
    expect((await dataset(edit)).exitCode).toBe(2);
    const refused = await dataset(edit, { answers: [false] });
    expect(refused.stderr).toContain("can then read its 1 case, and the outputs of all runs with it");
    expect((await dataset("create ada/reply open --visibility public")).exitCode).toBe(2);
    expect((await items()).map(({ visibility }) => visibility)).not.toContain("public");
    expect((await dataset(`${edit} --yes`)).exitCode).toBe(0);
    expect((await items()).map(({ visibility }) => visibility)).toContain("public");
    expect((await dataset(`edit ada/reply ${name} --description Open`)).exitCode).toBe(0);
  });

  test("needs something to change", async () => {
    expect((await dataset("edit ada/reply any")).stderr).toContain("Name what to change");
  });
});

describe("dataset import", () => {
  test("reads CSV and JSONL by the name of the file or by how it begins, and creates the dataset on demand", async () => {
    await writeFile(file("a.csv"), "\ufeffkey,name\r\n{a,Ada\r\n");
    const missing = await dataset("import ada/reply new FOLDER/a.csv");
    expect([missing.exitCode, missing.stderr]).toEqual([4, expect.stringContaining('no dataset "new"')]);
    const created = await dataset("import ada/reply new FOLDER/a.csv --create");
    expect(created).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("a.csv: 1 case added") });
    await writeFile(file("promptfooconfig.json.csv.yml.jsonl"), '{"key":"named"}\n');
    await dataset("import ada/reply new FOLDER/promptfooconfig.json.csv.yml.jsonl");
    await writeFile(file("cases.jsonl.txt"), "key\nbegun\n");
    await dataset("import ada/reply new FOLDER/cases.jsonl.txt");
    expect((await casesOf("new")).map(({ key }) => key)).toEqual(["{a", "named", "begun"]);
    await dataset("delete ada/reply new --yes");
    await dataset("import ada/reply new FOLDER/a.csv --create");
    const untried = await dataset("import ada/reply newer FOLDER/a.csv --create --dry-run");
    expect([untried.exitCode, await idOf("newer")]).toEqual([2, ""]);
  });

  test("sends nothing that looks like a secret, unless it may", async () => {
    const cases = [{ variables: { name: "Ada" } }, { variables: { name: `ghp_${"Ab1x".repeat(9)}` } }];
    await writeFile(file("leak.jsonl"), cases.map((one) => `${JSON.stringify(one)}\n`).join(""));
    const refused = await dataset("import ada/reply leak FOLDER/leak.jsonl --create");
    expect([refused.exitCode, refused.stderr]).toEqual([
      6,
      expect.stringMatching(/leak\.jsonl is not imported[^]*line 2 looks like a secret[^]*--allow-secrets/),
    ]);
    expect((await dataset("show ada/reply leak")).exitCode).toBe(4);
    const allowed = await dataset("import ada/reply leak FOLDER/leak.jsonl --create --allow-secrets");
    expect(allowed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("2 cases added") });
  });

  test("takes the tests of promptfoo, and says what needs a file or a program", async () => {
    const tests = [
      {
        description: "Refund",
        vars: { name: "Ada" },
        assert: [{ type: "contains", value: "money", weight: 2 }],
      },
      {
        vars: { name: "Bob", tone: "calm" },
        assert: [
          { type: "assert-set", assert: [] },
          { type: "equals", value: "file://x.txt" },
        ],
      },
      { vars: { name: "file://names.txt" } },
      { vars: "file://names.yaml" },
      { description: "Refund", vars: { name: "Cy" } },
      { description: "Each", vars: { name: ["Ada", "Bob"] } },
      "file://more.yaml",
    ];
    const defaultTest = { vars: { tone: "kind" }, assert: [{ type: "not-contains", value: "sorry" }] };
    await writeFile(
      file("promptfooconfig.json"),
      JSON.stringify({ prompts: ["Hi {{name}}"], defaultTest, tests }),
    );
    const { exitCode, stdout, stderr } = await dataset(
      "import ada/reply foo FOLDER/promptfooconfig.json --create",
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain("promptfooconfig.json: 5 cases added");
    expect(stderr).toContain(
      "Tests left out: 3. Their values are in files, or are more than 1,000 combinations.\n",
    );
    expect(stderr).toContain("Assertions left out: 2. They are in files, or are sets of others.\n");
    const common = { type: "not-contains", value: "sorry" };
    expect(await casesOf("foo")).toMatchObject([
      {
        key: "Refund",
        variables: { tone: "kind", name: "Ada" },
        assertions: [common, { type: "contains", value: "money", weight: 2 }],
      },
      { variables: { tone: "calm", name: "Bob" }, assertions: [common] },
      { key: expect.stringMatching(/^case-/), variables: { tone: "kind", name: "Cy" } },
      { key: "Each", variables: { tone: "kind", name: "Ada" } },
      { key: "Each (2)", variables: { tone: "kind", name: "Bob" } },
    ]);
    await writeFile(file("tests.yaml"), "tests: file://cases.csv\n");
    expect((await dataset("import ada/reply foo FOLDER/tests.yaml")).stderr).toContain(
      "tests.yaml is not imported. Its tests are in file://cases.csv. Import that file.",
    );
    const stdin = '{"key":"b","variables":{"n":1}}\n';
    expect((await dataset("import ada/reply new - --create", { stdin })).exitCode).toBe(0);
    expect(await casesOf("new")).toMatchObject([
      { key: "{a", variables: { name: "Ada" } },
      { key: "b", variables: { n: 1 } },
    ]);
    const again = await dataset("import ada/reply new - --json", { stdin });
    expect(JSON.parse(again.stdout)).toMatchObject({ added: 0, skipped: 1, removed: 0 });
  });

  test("says which assertions the registry does not know", async () => {
    const name = await filled([]);
    const stdin = '{"key":"a","assertions":[{"type":"is-jsn"}]}\n';
    const { exitCode, stderr } = await dataset(`import ada/reply ${name} -`, { stdin });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('keeps them: "is-jsn". It knows equals')]);
    expect(await casesOf(name)).toMatchObject([{ assertions: [{ type: "is-jsn" }] }]);
  });

  test("names each line that is wrong, and imports nothing", async () => {
    const name = await filled([]);
    await writeFile(file("bad.csv"), "key,weight\na,1\nb,much\na,2\n");
    for (const dryRun of ["", " --dry-run"]) {
      const { exitCode, stderr, stdout } = await dataset(`import ada/reply ${name} FOLDER/bad.csv${dryRun}`);
      expect([exitCode, stdout]).toEqual([6, ""]);
      expect(stderr).toContain("bad.csv is not imported. 2 errors:\n  line 3 weight: ");
      expect(stderr).toContain("  line 4 key: Line 2 has the same key");
    }
    expect(await casesOf(name)).toEqual([]);
    expect((await dataset("import ada/reply made FOLDER/bad.csv --create")).exitCode).toBe(6);
    expect((await dataset("import ada/reply made - --create", { stdin: "key\n" })).exitCode).toBe(6);
    expect(await idOf("made")).toBe("");
  });

  test.each([
    ["a JSON list", "[{}]", "Write one case on each line"],
    ["cells that are separated by semicolons", "key;name\na;Ada\n", "semicolons"],
    ["nothing", "", "The file has no cases"],
  ])("refuses %s", async (_what, stdin, said) => {
    const { exitCode, stderr } = await dataset(`import ada/reply ${await filled([])} -`, { stdin });
    expect([exitCode, stderr]).toEqual([6, expect.stringContaining(said)]);
  });

  test("replaces all cases after saying what is lost, and changes nothing without an answer", async () => {
    const name = await filled([{ key: "a" }, { key: "b" }, { key: "c", variables: { x: "1" } }]);
    const run = (more: string, around = {}) =>
      dataset(`import ada/reply ${name} - --replace${more}`, { stdin: "key,x\nc,1\nb,2\nd,3\n", ...around });
    const dry = await run(" --dry-run");
    expect(dry.stdout).toContain("2 cases new or different, 1 as before, 1 removed, if it were imported");
    expect(dry.stderr).toContain("1 case would be removed, 1 case would be overwritten.");
    expect((await run("")).exitCode).toBe(2);
    const no = await run("", { answers: [false] });
    expect(no.asked[0]).toContain("1 case would be removed, 1 case would be overwritten");
    expect((await casesOf(name)).map(({ key }) => key)).toEqual(["a", "b", "c"]);
    expect((await run(" --yes")).exitCode).toBe(0);
    expect((await casesOf(name)).map(({ key }) => key)).toEqual(["c", "b", "d"]);
    // Nothing is lost the second time, and nothing is asked.
    expect((await run("")).stdout).toContain("0 cases new or different, 3 as before, 0 removed");
  });

  test("does not replace what changed after it was shown", async () => {
    const name = await filled([{ key: "a" }]);
    const confirm = async () => {
      await client.evals.datasets.cases.create({ id: await idOf(name), body: { cases: [{ key: "late" }] } });
      return true;
    };
    const run = await dataset(`import ada/reply ${name} - --replace`, { stdin: "key\nb\n", confirm });
    expect(run.exitCode).toBe(5);
    expect((await casesOf(name)).map(({ key }) => key)).toEqual(["a", "late"]);
  });
});

describe("dataset export", () => {
  const text = fc
    .oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc.constantFrom(
        '"',
        ",",
        "\n",
        "\r\n",
        " ",
        "",
        "=HYPERLINK(1)",
        "{{x}}",
        "__proto__",
        "\u2028",
        "key",
        "\u001b[2J",
      ),
    )
    .map((one) => one.replaceAll("\0", ""));
  const name = text.map((one) => one.trim() || "x");
  const plain = fc.record({
    expected: fc.option(text.filter((one) => one.trim() !== "")),
    variables: fc.tuple(text, text).map(([a, b]) => ({ a, ["__proto__"]: b, "variables.key": a, key: b })),
    tags: fc.uniqueArray(fc.constantFrom("a", "b-1"), { maxLength: 2 }),
    weight: fc.double({ min: 0, max: 1000, noNaN: true }).map((one) => one + 0),
    assertions: fc.constantFrom(
      [],
      [{ type: "contains", value: "Hello" }],
      [
        { type: "latency", threshold: 900 },
        { type: "not-cost", threshold: 0.5 },
      ],
    ),
  });
  const any = fc.record({
    expected: fc.option(fc.oneof(text, fc.dictionary(name, fc.jsonValue({ maxDepth: 2 })))),
    variables: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.constant(null))),
    messages: fc.option(
      fc.array(
        text.map((content) => ({ role: "user" as const, content })),
        { maxLength: 2 },
      ),
    ),
    assertions: fc.array(fc.record({ type: name, value: fc.oneof(text, fc.integer()) }), { maxLength: 3 }),
  });
  const keyed = (cases: object[]) => cases.map((one, index) => ({ key: `=k ${index}`, ...one }));

  test.each([
    ["csv", plain],
    ["jsonl", any],
  ])("writes %s that an import reads back as it was, whatever the texts hold", async (format, one) => {
    for (const seed of [1, 2, 3]) {
      const cases = keyed(fc.sample<object>(one, { numRuns: 20, seed }));
      const source = await filled(cases);
      const exported = await dataset(`export ada/reply ${source} -o FOLDER/${source}.${format}`);
      expect(exported).toMatchObject({
        exitCode: 0,
        stderr: "",
        stdout: expect.stringContaining("20 cases"),
      });
      const copy = await filled([]);
      const read = await dataset(`import ada/reply ${copy} FOLDER/${source}.${format}`);
      expect(read.exitCode).toBe(0);
      expect(await casesOf(copy)).toEqual(await casesOf(source));
      const piped = await dataset(`export ada/reply ${copy} --format ${format}`);
      expect(piped.stdout).toBe(await readFile(file(`${source}.${format}`), "utf8"));
    }
  });

  test("says what CSV does not keep", async () => {
    const source = await filled([
      { key: "a", variables: { n: 1, x: "1" }, expected: { a: 1 } },
      { key: "b", variables: { x: "2" }, messages: [{ role: "user", content: "Hi" }] },
      { key: "c", variables: { n: "", x: "" }, assertions: [{ type: "is-json" }] },
    ]);
    const { stdout, stderr } = await dataset(`export ada/reply ${source} --format csv`);
    expect(stdout.split("\n")[1]).toBe('a,"{""a"":1}",,1,1,1,');
    expect(stderr).toContain(
      "does not keep expected of 1 case, variables of 2 cases, messages of 1 case, assertions of 1 case",
    );
    const wide = async (count: number) => {
      const variables = Object.fromEntries([...Array(count).keys()].map((n) => [`v${n}`, ""]));
      return dataset(`export ada/reply ${await filled([{ variables }])} --format csv`);
    };
    expect((await wide(197)).stderr).toContain("can have 200 cells");
    expect((await wide(196)).exitCode).toBe(0);
  });

  test("asks before it overwrites a file, and leaves none if the cases change meanwhile", async () => {
    const source = await filled([{ key: "a" }]);
    await writeFile(file("there.jsonl"), "mine");
    expect((await dataset(`export ada/reply ${source} -o FOLDER/there.jsonl`)).exitCode).toBe(2);
    expect(await readFile(file("there.jsonl"), "utf8")).toBe("mine");
    await dataset(`export ada/reply ${source} -o FOLDER/there.csv.jsonl`);
    expect(JSON.parse(await readFile(file("there.csv.jsonl"), "utf8"))).toMatchObject({ key: "a" });
    const id = await idOf(source);
    const changing: typeof fetch = async (url, options) => {
      const response = await fetch(url, options);
      if (response.url.includes("/cases?"))
        await client.evals.datasets.cases.create({ id, body: { cases: [{}] } });
      return response;
    };
    const changed = await dataset(`export ada/reply ${source} -o FOLDER/changed.jsonl`, { fetch: changing });
    expect(changed).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("Export them again") });
    await expect(readFile(file("changed.jsonl"))).rejects.toThrow("ENOENT");
  });
});
