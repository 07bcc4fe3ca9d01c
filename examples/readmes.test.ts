import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const readmes = ["README.md", ...globSync("packages/*/README.md", { cwd: root }), "examples/README.md"];

/** Packages of others, which our own do not need: whatever they export is `any`. */
const foreign = `${["@opentelemetry/api", "openai", "undici"].map((name) => `declare module "${name}";`).join("\n")}\n`;

/** Every TypeScript block of a README, as a file at the root, where all packages are found. */
const blocks = new Map(
  readmes.flatMap((readme) =>
    [...readFileSync(join(root, readme), "utf8").matchAll(/^```ts\n([^]*?)^```$/gm)].map(
      ({ 1: text = "", index }) => [join(root, `${readme.replaceAll("/", "-")}-${index}.ts`), text],
    ),
  ),
);

test("every TypeScript block of every README compiles as it is printed", { tags: "long" }, () => {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const files = new Map([...blocks, [join(root, "foreign.d.ts"), foreign]]);
  const onDisk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...onDisk,
    fileExists: (path) => files.has(path) || onDisk.fileExists(path),
    getSourceFile(path, language) {
      const text = files.get(path);
      return text === undefined
        ? onDisk.getSourceFile(path, language)
        : ts.createSourceFile(path, text, language);
    },
  };
  const program = ts.createProgram([...files.keys()], { ...options, noEmit: true }, host);
  const found = [...blocks.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  });
  const told = found.map(
    ({ file, start, messageText }) =>
      `${file?.fileName.slice(root.length + 1)}: ${ts.flattenDiagnosticMessageText(messageText, " ")} ${file?.text.slice(start).split("\n")[0]}`,
  );
  expect(told).toEqual([]);
});
