import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
/** The oldest and the newest that there is, and ours between them. */
const compilers = [
  "prove/packages/node_modules/typescript-5.4",
  "node_modules/typescript",
  "prove/packages/node_modules/typescript-7",
];

const application = `
  import { ApiError, createClient, type CompiledPrompt } from "@promptreg/client";
  import { chatCompletionParams } from "@promptreg/client/openai";
  import { RenderError } from "@promptreg/client/template";
  import { createTestRegistry, type TestRegistry } from "@promptreg/client/testing";
  import { receive, WebhookVerificationError } from "@promptreg/core/webhooks";
  const client = createClient({ cache: { ttlMs: 1 } });
  export async function answer(): Promise<CompiledPrompt> {
    const compiled = await client.prompt("ada/reply@production").compile({ name: "Ada" });
    const label = await client.prompts.labels.put({
      owner: "ada", slug: "reply", name: "production", body: { versionNumber: 3 },
    });
    label?.versionNumber satisfies number | undefined;
    // @ts-expect-error A label has a version.
    void client.prompts.labels.put({ owner: "ada", slug: "reply", name: "production", body: {} });
    chatCompletionParams(compiled).messages[0]?.role satisfies string | undefined;
    return compiled;
  }
  export async function tested(): Promise<TestRegistry> {
    const registry = createTestRegistry();
    const tested = createClient(registry);
    registry.fail({ status: 503 }, { on: ({ url }) => url.endsWith("/reply") });
    for (const delivery of await registry.deliveries())
      await tested.handleWebhook(delivery, registry.webhookSecret);
    return registry;
  }
  export const errors = [ApiError, RenderError, WebhookVerificationError, receive];`;

const inNode = `
  import { promptDisk } from "@promptreg/client/disk";
  import { receiveSync } from "@promptreg/core/webhooks/node";
  export const all = [promptDisk, receiveSync];
  export async function using(): Promise<void> {
    await using registry = createTestRegistry();
    await registry.fetch(registry.baseUrl);
  }`;

const inJest = `
  const { createClient } = require("@promptreg/client");
  const { signSync, verifySync } = require("@promptreg/core/webhooks/node");
  test("require", async () => {
    verifySync("{}", signSync("{}", "whsec_test"), "whsec_test");
    const client = createClient({ baseUrl: "http://127.0.0.1:9" });
    const { text } = await client.prompt("a/b", { fallback: "Hi {{name}}" }).compile({ name: "Ada" });
    expect(text).toBe("Hi Ada");
  });`;

const inCommonJs = `
  const { ApiError } = require("@promptreg/client");
  import("@promptreg/core/errors").then((module) => {
    if (module.ApiError !== ApiError) throw new Error("There are two of each class.");
  });`;

type Run = (command: string, args: string[], cwd: string) => string;

/** As strict as a program can be, and with nothing of what is published left out. */
const strictest = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
const common = {
  ...strictest,
  noEmit: true,
  target: "es2022",
  typeRoots: [join(root, "node_modules/@types")],
};

/** What installs with the client and the verifier alone, as `run` packed them, and where it can be used. */
export function proveLight(folder: string, packed: string[], run: Run): void {
  mkdirSync(folder);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("package.json", '{ "private": true }');
  run("npm", ["install", "--no-audit", "--no-fund", ...packed], folder);
  const names = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
  const kilobytes = Math.round(sizeOf(join(folder, "node_modules")) / 1000);
  // A third is the registry for tests, twice, which holds the schemas of every operation and grows with them: all 187 are there.
  // Of it, 0.2 MB answer evals and search, and core has their rules once more, 0.1 MB, for the server.
  // What reads other tools' prompts is 0.3 MB of it: the server takes that from core, and applications never load it. Suggestions and the archive of an account are 0.2 MB of it, in the same way.
  if (names.includes("zod") || kilobytes > 5_100)
    throw new Error(`The client brings ${names.join(", ")}, ${kilobytes} kB.`);
  console.log(`✓ the client and the verifier bring ${names.join(", ")}: ${kilobytes} kB`);

  proveTypes(folder, run);
  write("use.cjs", inCommonJs);
  run(process.execPath, ["use.cjs"], folder);
  write("use.test.js", inJest);
  run(process.execPath, [join(import.meta.dirname, "node_modules/jest/bin/jest.js")], folder);
  console.log(`✓ require, in Node and in Jest ${versionOf("prove/packages/node_modules/jest")}`);
}

function proveTypes(folder: string, run: Run): void {
  const programs = [
    { name: "app", lib: ["es2022"], types: [] },
    { name: "app", lib: ["es2022", "dom", "dom.iterable"], types: [] },
    { name: "node", lib: ["es2022"], types: ["node"] },
  ];
  for (const name of ["app.ts", "app.mts"]) writeFileSync(join(folder, name), application);
  for (const name of ["node.ts", "node.mts"]) writeFileSync(join(folder, name), application + inNode);
  // In "nodenext" CommonJS can require a module, from 5.8 on; in "node16" it gets what is made for it.
  for (const compiler of compilers)
    for (const { name, ...program } of programs)
      for (const module of ["nodenext", "node16", "esnext"]) {
        const moduleResolution = module === "esnext" ? "bundler" : module;
        const compilerOptions = { ...common, ...program, module, moduleResolution };
        const files = [`${name}.ts`, `${name}.mts`];
        writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
        run(process.execPath, [join(root, compiler, "bin/tsc"), "-p", "."], folder);
      }
  const versions = compilers.map(versionOf).join(", ");
  console.log(`✓ types for modules and CommonJS, with and without the DOM, by TypeScript ${versions}`);
}

const versionOf = (path: string): string =>
  (JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")) as { version: string }).version;

function sizeOf(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
