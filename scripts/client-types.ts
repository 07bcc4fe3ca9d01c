// Reads the client's declarations as they are published, so they must have been built. Does a program that calls every
// operation fit them, does each show its documentation, and what does that cost in instantiations? Time would depend
// on the machine.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contract, listOperations, type Operation } from "@promptreg/core";
import ts from "typescript";

const budgetPerOperation = 300;

const root = join(import.meta.dirname, "..");
const folder = join(root, "node_modules/.promptreg");
const everything = join(folder, "everything.ts");

/** A call of an operation and a use of all that it gives. */
function callTo(id: string, { route, query, headers, body }: Operation): string {
  const params = [...route.matchAll(/\{(\w+)/g)].map(([, name]) => `${name}: any`);
  const parts = Object.entries({ query, headers, body }).filter(([, part]) => part !== undefined);
  const fields = [...params, ...parts.map(([name]) => `${name}: any`)];
  const call = `client.${id}({ ${fields.join(", ")} })`;
  const each = query?.safeParse({ cursor: "any" }).success
    ? `for await (const item of ${call}) see(item);`
    : "";
  return `see(await ${call}); see(await ${call}.withResponse()); ${each}`;
}

const operations = listOperations(contract);
mkdirSync(folder, { recursive: true });
writeFileSync(
  everything,
  `
  import { createClient } from "../../packages/client/dist/index.js";
  declare const any: any;
  declare const see: (it: unknown) => void;
  const client = createClient();
  ${operations.map(({ id, operation }) => callTo(id, operation)).join("\n")}`,
);

const path = join(root, "packages/client/tsconfig.json");
const { config } = ts.readConfigFile(path, (file) => ts.sys.readFile(file)) as { config: object };
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(path, ".."));
const program = ts.createProgram([everything], {
  ...options,
  composite: false,
  noEmit: true,
  customConditions: [],
});
const source = program.getSourceFile(everything);
const problems = program
  .getSemanticDiagnostics(source)
  .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
const count = program.getInstantiationCount();
const budget = budgetPerOperation * operations.length;

const checker = program.getTypeChecker();
const undocumented = new Set(operations.map(({ id }) => `client.${id}`));
ts.forEachChild(source as ts.SourceFile, function visit(node): void {
  if (ts.isPropertyAccessExpression(node)) {
    const notes = checker.getSymbolAtLocation(node.name)?.getDocumentationComment(checker) ?? [];
    if (notes.length > 0) undocumented.delete(node.getText());
  }
  ts.forEachChild(node, visit);
});
problems.push(...[...undocumented].map((name) => `${name} shows no documentation.`));

for (const problem of problems) console.error(problem);
console.log(
  `${count} instantiations for a call of each of ${operations.length} operations, at most ${budget}`,
);
if (problems.length > 0 || count > budget) process.exitCode = 1;
