import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type LockScene, startLockScene } from "./locked.ts";

let scene: LockScene;
let out: string;
let lockfile: string;
/** Below the package, so that TypeScript finds the client as it does in an application. */
let program: string;

beforeAll(async () => {
  const parent = join(import.meta.dirname, "../node_modules/.promptreg");
  await mkdir(parent, { recursive: true });
  program = await mkdtemp(join(parent, "types-"));
  scene = await startLockScene();
  out = join(scene.folder, "promptreg.d.ts");
  await scene.commit("reply", reply, ["production"]);
  await scene.commit("plain", "Nothing to fill in.");
  await scene.commitChat("chat", chat, ["live"]);
  await scene.commitChat("talk", { messages: [{ type: "placeholder", name: "turns" }] });
  await scene.run([
    "lock",
    "ada/reply@production",
    "ada/reply@1",
    "ada/plain",
    "ada/chat@live",
    "ada/talk@1",
  ]);
  lockfile = await scene.text();
});
beforeEach(() => scene.write(lockfile));
afterAll(async () => {
  await scene.close();
  await rm(program, { recursive: true });
});

const reply = `---
config:
  model: m-1
  temperature: 0.5
  stop: [END, "a\u2028b"]
  responseFormat: { type: json_schema, strict: true, schema: {} }
variables:
  - name: customer
    description: How to address them.
  - { name: letter, type: multiline, description: "What they wrote.\\nAs it came: */ nothing is cut." }
  - { name: tone, type: enum, options: [warm, 'a "quoted" one'], default: warm }
  - { name: words, type: number, required: false }
  - { name: signed, type: boolean }
  - { name: facts, type: json }
  - { name: unused }
---
{{customer}} {{letter}} {{tone}} {{words}} {{signed}} {{facts}} {{undeclared}}
`;
const chat = {
  messages: [
    { role: "system", content: "Be {{tone}}." },
    { type: "placeholder", name: "history" },
    { type: "placeholder", name: "examples" },
    { type: "placeholder", name: "history" },
  ],
};

const replyValues = `values: {
        /** How to address them. */
        customer: string;
        /**
         * What they wrote.
         * As it came: *\\/ nothing is cut.
         */
        letter: string;
        /** @default "warm" */
        tone?: "warm" | "a \\"quoted\\" one";
        words?: number;
        signed: boolean;
        facts: unknown;
        unused?: string;
        undeclared: string;
      };`;
const expected = `// Written by \`promptreg codegen\`, which overwrites it. Commit it with the lockfile.
import "@promptreg/client";

declare module "@promptreg/client" {
  interface LockedPrompts {
    "ada/chat@live": {
      values: {
        tone: string;
      };
      messages: "history" | "examples";
    };
    "ada/plain@latest": {
      values: Record<string, never>;
    };
    "ada/reply@1": {
      ${replyValues}
      config: { readonly model: "m-1"; readonly responseFormat: { readonly schema: {}; readonly strict: true; readonly type: "json_schema" }; readonly stop: readonly ["END", "a\\u2028b"]; readonly temperature: 0.5 };
    };
    "ada/reply@production": {
      ${replyValues}
      config: { readonly model?: string; readonly responseFormat?: { readonly schema?: {}; readonly strict?: boolean; readonly type?: string }; readonly stop?: ReadonlyArray<string>; readonly temperature?: number };
    };
    "ada/talk@1": {
      values: Record<string, never>;
      messages: "turns";
    };
  }
}
`;

describe("codegen", () => {
  test("writes the variables of each locked prompt, with their descriptions, and its places for messages", async () => {
    const { stdout, exitCode } = await scene.run(["codegen", "--out", out]);
    expect(await readFile(out, "utf8")).toBe(expected);
    expect({ stdout, exitCode }).toEqual({ stdout: `${out} has types for 5 prompts\n`, exitCode: 0 });
  });

  test("writes the same again, and asks nobody", async () => {
    await scene.run(["codegen", "--out", out]);
    scene.registry.requests.length = 0;
    const { stdout } = await scene.run(["codegen", "--out", out]);
    expect(stdout).toBe(`${out} is up to date\n`);
    expect(scene.registry.requests).toEqual([]);
    expect(await scene.json(["codegen", "--out", out])).toEqual({
      file: scene.file,
      out,
      prompts: 5,
      isWritten: false,
    });
  });

  test("makes no folder", async () => {
    const { exitCode } = await scene.run(["codegen", "--out", join(scene.folder, "no/promptreg.d.ts")]);
    expect([exitCode, (await readdir(scene.folder)).includes("no")]).toEqual([6, false]);
  });

  test("with --check fails where the file is not what the lockfile gives, and writes nothing", async () => {
    await scene.run(["codegen", "--out", out]);
    expect((await scene.run(["codegen", "--out", out, "--check"])).exitCode).toBe(0);
    await scene.run(["lock", "--remove", "ada/plain"]);
    const { stderr, exitCode } = await scene.run(["codegen", "--out", out, "--check"]);
    expect(stderr).toBe(`error: ${out} is out of date with ${scene.file}. Run \`promptreg codegen\`.\n`);
    expect(exitCode).toBe(9);
    expect(await readFile(out, "utf8")).toBe(expected);
    await rm(out);
    expect((await scene.run(["codegen", "--out", out, "--check"])).exitCode).toBe(9);
  });

  test("does not change its file for a version that is filled in the same way", async () => {
    await scene.run(["codegen", "--out", out]);
    await scene.commit("plain", "Nothing to fill in, still.");
    await scene.run(["lock", "ada/plain"]);
    expect((await scene.run(["codegen", "--out", out, "--check"])).exitCode).toBe(0);
  });

  test("refuses a lockfile that does not hold, and writes nothing", async () => {
    await rm(out, { force: true });
    await scene.edit(({ prompts }) => {
      for (const { files } of Object.values(prompts)) for (const file of files) file.content += " Obey.";
    });
    const { stderr, exitCode } = await scene.run(["codegen", "--out", out]);
    expect(stderr).toBe(`error: ${scene.file} is not valid. \`promptreg verify\` shows why.\n`);
    expect(exitCode).toBe(9);
    await expect(readFile(out)).rejects.toThrow("ENOENT");
  });

  test("lets nothing out of its place that a lockfile was made to hold", async () => {
    await scene.edit(({ prompts }) =>
      Object.assign(prompts["ada/plain@latest"] ?? {}, {
        variables: [
          { name: 'a": 1 }; evil(); "', type: "text", required: true, default: null },
          { name: "e", type: "enum", options: ['"; evil()'], required: true, default: null },
          { name: "d", type: "text", required: true, default: "*/ evil() /*" },
        ],
      }),
    );
    await scene.run(["codegen", "--out", out]);
    const text = await readFile(out, "utf8");
    const { statements } = ts.createSourceFile("promptreg.d.ts", text, ts.ScriptTarget.Latest);
    expect(statements.map(({ kind }) => kind)).toEqual([
      ts.SyntaxKind.ImportDeclaration,
      ts.SyntaxKind.ModuleDeclaration,
    ]);
    expect(text).toContain('"a\\": 1 }; evil(); \\""?: string;');
  });
});

const start = `import { createClient, type PromptHandle } from "@promptreg/client";
const client = createClient();
const reply = client.prompt("ada/reply@production");
const values = { customer: "Ada", letter: "Hello", signed: true, facts: [1], undeclared: "x" };
const chat = client.prompt("ada/chat@live");
const history = [{ role: "user" as const, content: "Hi" }];
`;

const right = `${start}
void reply.compile(values);
void reply.compile({ ...values, tone: "warm", words: 3 }, { signal: AbortSignal.timeout(1) });
void client.prompt("ada/reply", { label: "production", fallback: "Hello" }).compile(values);
void client.prompt("ada/plain").compile();
void client.prompt("ada/plain@latest", { locked: true }).compile({}, {});
void chat.compile({ tone: "brief" }, { messages: { history, examples: [] } });
void chat.compile<{ a: 1 }>({ tone: "brief" }, { messages: { history: [{ a: 1 }], examples: [] } });
void client.prompt("ada/talk", { version: 1 }).compile({}, { messages: { turns: history } });
void client.prompt("ada/talk@1").compile(undefined, { messages: { turns: history } });
// What is not locked takes all, as it does without the file.
void client.prompt("ada/reply@staging").compile({ whatever: 1 }, { strict: false, messages: { any: [{ a: 1 }] } });
void client.prompt("ada/reply@production" as string).compile();
declare const options: { label?: string };
void client.prompt("ada/plain", options).compile({ whatever: 1 });
const any: PromptHandle = reply;
void any.compile({ whatever: 1 });
export const text: Promise<string> = reply.compile(values).then(({ text }) => text);
export const model: Promise<string | undefined> = reply.compile(values).then(({ config }) => config.model);
export const fixed: Promise<"m-1"> = client.prompt("ada/reply@1").compile(values).then(({ config }) => config.model);
export const free: Promise<unknown> = client.prompt("ada/plain").compile().then(({ config }) => config["model"]);
`;

const strict = `${start}
void reply.compile(values);
void client.prompt("ada/reply", { label: "production" }).compile(values);
void client.prompt("ada/plain").compile();
declare const ref: string;
declare const options: { label?: string };
void client.prompt(ref).compile();
void client.prompt("ada/plain", options).compile({ whatever: 1 });
`;
/** Each line is refused where every address has to be locked. */
const unlocked = [
  'client.prompt("ada/reply@prodution")',
  'client.prompt("ada/reply")',
  'client.prompt("ada/reply", { label: "staging" })',
  'client.prompt("ada/plain", { version: 7 })',
];

/** Each line is refused, with these words. */
const wrong: [string, string][] = [
  ["reply.compile()", "Expected 1-2 arguments"],
  ["reply.compile({ ...values, customer: undefined })", "not assignable to type 'string'"],
  ['reply.compile({ customer: "Ada" })', "missing the following properties"],
  ['reply.compile({ ...values, tone: "cold" })', "not assignable to type"],
  ['reply.compile({ ...values, words: "3" })', "'string' is not assignable to type 'number'"],
  ['reply.compile({ ...values, signed: "true" })', "'string' is not assignable to type 'boolean'"],
  ["reply.compile({ ...values, custommer: 1 })", "'custommer' does not exist"],
  ["reply.compile(values, { messages: { history } })", "not assignable to type 'never'"],
  ['client.prompt("ada/plain").compile({ x: 1 })', "not assignable to type 'never'"],
  ['client.prompt("ada/reply", { label: "production" }).compile({})', "missing the following properties"],
  ['chat.compile({ tone: "brief" })', "Expected 2 arguments"],
  ['chat.compile({ tone: "brief" }, { messages: { history } })', "'examples' is missing"],
  ['chat.compile({ tone: "brief" }, { messages: { history, exmaples: [] } })', "'exmaples' does not exist"],
  ['client.prompt("ada/talk@1").compile({}, { messages: {} })', "'turns' is missing"],
  ["reply.compile(values).then(({ config }) => config.modell)", "Property 'modell' does not exist"],
  ['client.prompt("ada/plain", { labl: "live" })', "'labl' does not exist"],
];

describe("a program with the file", () => {
  const linesOf = (lines: string[]) => start + lines.map((line) => `void ${line};`).join("\n");
  const files = { "right.ts": right, "wrong.ts": linesOf(wrong.map(([line]) => line)) };

  test("fits where each prompt gets what it is filled in with, and is refused where it does not, line by line", {
    tags: "long",
  }, async () => {
    const complaints = await compileWith([], files);
    expect(complaints("promptreg.d.ts")).toEqual([]);
    expect(complaints("right.ts")).toEqual([]);
    expect(complaints("wrong.ts")).toEqual(wrong.map(([, words]) => expect.stringContaining(words)));
  });

  test("is refused, by --strict, where an address is written out and not locked", {
    tags: "long",
  }, async () => {
    const complaints = await compileWith(["--strict"], {
      "strict.ts": strict,
      "unlocked.ts": linesOf(unlocked),
    });
    expect(complaints("strict.ts")).toEqual([]);
    expect(complaints("unlocked.ts")).toEqual(
      unlocked.map(() => expect.stringContaining("is not assignable to parameter of type")),
    );
  });
});

/** Writes the types and a program, and gives what TypeScript has against a file of it, by its lines. */
async function compileWith(options: string[], files: Record<string, string>) {
  await scene.write(lockfile);
  await scene.run(["codegen", "--out", join(program, "promptreg.d.ts"), ...options]);
  for (const [name, text] of Object.entries(files)) await writeFile(join(program, name), text);
  const names = ["promptreg.d.ts", ...Object.keys(files)].map((name) => join(program, name));
  const host = ts.createProgram(names, {
    noEmit: true,
    strict: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    customConditions: ["@promptreg/source"],
    allowImportingTsExtensions: true,
    types: [],
  });
  const lineOf = ({ file, start = 0 }: ts.Diagnostic) => file?.getLineAndCharacterOfPosition(start).line ?? 0;
  return (name: string) => {
    const texts: string[] = [];
    for (const found of host.getSemanticDiagnostics(host.getSourceFile(join(program, name)))) {
      const line = lineOf(found) - (start.split("\n").length - 1);
      texts[line] = ts.flattenDiagnosticMessageText(found.messageText, "\n");
    }
    return texts;
  };
}
