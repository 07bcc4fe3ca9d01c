// Writes what the types of the contract know and no program could ask at run time: the documentation of every
// operation, and the routes by themselves, for a client that carries no schemas. And the example receivers as texts, for
// the page that shows them. Nobody commits what it writes: `prepare.mjs` calls it whenever its sources have changed.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import type { OperationNotes, SchemaNotes } from "../packages/core/src/operations/notes.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const core = join(root, "packages/core");

/** Routes as `expandRoutes` of the client reads them: compressed, a third less than with all of each. */
function shortenRoutes(operations: readonly { id: string; route: string }[]): string {
  const groups = Map.groupBy(operations, ({ id }) => id.slice(0, id.lastIndexOf(".")));
  const marks: Record<string, string> = { GET: "", POST: "+", PUT: "=", PATCH: "~", DELETE: "-" };
  const lines = [...groups].map(([group, members]) => {
    const routes = members.map(({ id, route }) => {
      const [method = "", path = ""] = route.split(" ");
      return { verb: id.slice(group.length + 1) + marks[method], path };
    });
    let base = routes[0]?.path ?? "";
    while (!routes.every(({ path }) => `${path}/`.startsWith(`${base}/`)))
      base = base.slice(0, base.lastIndexOf("/"));
    return [group, base, ...routes.map(({ verb, path }) => verb + path.slice(base.length))].join(" ");
  });
  return lines.join("\n").replaceAll("{owner}/{slug}", "$");
}

/** The ids by group: a line has a group and the last part of each of its ids. */
function shortenIds(operations: readonly { id: string }[]): string {
  const groups = Map.groupBy(operations, ({ id }) => id.slice(0, id.lastIndexOf(".")));
  return [...groups]
    .map(([group, members]) => [group, ...members.map(({ id }) => id.slice(group.length + 1))].join(" "))
    .join("\n");
}

/**
 * The generated files, by their path from the root.
 * @throws {Error} naming every operation without documentation.
 */
export function generate(): Record<string, string> {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(core, "tsconfig.json"), (path) => readFileSync(path, "utf8")).config,
    ts.sys,
    core,
  );
  const program = ts.createProgram(
    // The manifest is in no operation.
    ["src/contract.ts", "src/groups/prompts/manifest.ts"].map((file) => join(core, file)),
    options,
  );
  const operations = readOperations(program);
  const undocumented = operations.filter(({ notes }) => notes.summary === "").map(({ id }) => id);
  if (undocumented.length > 0) {
    throw new Error(`Write a JSDoc sentence for each of these operations: ${undocumented.join(", ")}.`);
  }
  return {
    "packages/client/src/generated/ids.ts": `
      /** The id of every operation: each line has a group, and the names in it. */
      export const operationIds = ${JSON.stringify(shortenIds(operations))};
    `,
    "packages/client/src/generated/routes.ts": `
      import type { Routes } from "@promptreg/core";
      import { expandRoutes } from "../expand-routes.ts";

      /** Method and path of every operation. */
      export const routes = /* @__PURE__ */ expandRoutes(${JSON.stringify(shortenRoutes(operations))}) as Routes;
    `,
    "packages/core/src/generated/summaries.ts": `
      import type { OperationId } from "../contract.ts";
      import type { OperationNotes, SchemaNotes } from "../operations/notes.ts";

      /** What the comments in the contract say about each operation. */
      export const summaries: Readonly<Record<OperationId, OperationNotes>> = ${print(operations.map(({ id, notes }) => [id, notes]))};

      /** What the comments on the types of named schemas say, by the schema's id. */
      export const schemaNotes: Readonly<Record<string, SchemaNotes>> = ${print(readSchemas(program))};
    `,
    "packages/server/src/generated/programs.ts": `
      /** The receivers of \`examples/receivers\`, which tests run, by their names. */
      export const programs: Readonly<Record<string, string>> = ${print(readReceivers())};
    `,
  };
}

function readReceivers(): [string, string][] {
  const receivers = ["hono", "express", "fastify", "fetch", "node", "lambda", "inbox"];
  const names = [...receivers, "stores/postgres", "stores/redis"].map((name) => `${name}.ts`);
  return [...names, "receiver.py", "receiver.go"].map((file) => [
    file.replace(/\.ts$/, ""),
    readFileSync(join(root, "examples/receivers", file), "utf8"),
  ]);
}

const print = (entries: readonly (readonly [string, unknown])[]) =>
  JSON.stringify(Object.fromEntries(entries), null, 2);

/** Every operation of `interface Contract`, in the order in which it is written. */
function readOperations(program: ts.Program): { id: string; route: string; notes: OperationNotes }[] {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(join(core, "src/contract.ts"));
  const module = file && checker.getSymbolAtLocation(file);
  const contract = module && checker.getExportsOfModule(module).find(({ name }) => name === "Contract");
  if (contract === undefined)
    throw new Error("There is no interface Contract in packages/core/src/contract.ts.");

  const below = (parent: ts.Type, prefix: string): ReturnType<typeof readOperations> =>
    parent.getProperties().flatMap((symbol) => {
      const type = checker.getTypeOfSymbol(symbol);
      const id = prefix + symbol.name;
      const route = type.getProperty("route");
      const routeType = route && checker.getTypeOfSymbol(route);
      if (routeType === undefined) return below(type, `${id}.`);
      if (!routeType.isStringLiteral()) throw new Error(`The route of ${id} is not known at compile time.`);
      const [, , params, query] = checker.getTypeArguments(type as ts.TypeReference);
      const [summary = "", description] = splitFirstSentence(docOf(symbol, checker));
      const notes: OperationNotes = {
        summary,
        ...(description !== undefined && { description }),
        ...keyed("params", params && fieldsOf(params, checker)),
        ...keyed("query", query && fieldsOf(query, checker)),
      };
      return [{ id, route: routeType.value, notes }];
    });
  return below(checker.getDeclaredTypeOfSymbol(contract), "");
}

/** Every `const X: Schema<T> = ….meta({ id })` of the core package: its id, with what the comments on `T` say. */
function readSchemas(program: ts.Program): [string, SchemaNotes][] {
  const checker = program.getTypeChecker();
  const found: [string, SchemaNotes][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.type && ts.isTypeReferenceNode(node.type)) {
      const id = node.initializer && idOf(node.initializer);
      const [data] = node.type.typeArguments ?? [];
      if (id !== undefined && data) {
        const type = checker.getTypeFromTypeNode(data);
        const symbol = type.symbol ?? type.aliasSymbol;
        const description = symbol && docOf(symbol, checker);
        const notes = { ...(description && { description }), ...keyed("fields", fieldsOf(type, checker)) };
        if (Object.keys(notes).length > 0) found.push([id, notes]);
      }
    }
    ts.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles()) {
    if (file.fileName.includes("/packages/core/src/")) visit(file);
  }
  return found.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The id in `….meta({ id: "…" })`. */
function idOf(node: ts.Expression): string | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const [meta] = node.arguments;
  if (node.expression.name.text !== "meta" || !meta || !ts.isObjectLiteralExpression(meta)) return undefined;
  for (const property of meta.properties) {
    if (ts.isPropertyAssignment(property) && property.name.getText() === "id") {
      return ts.isStringLiteral(property.initializer) ? property.initializer.text : undefined;
    }
  }
  return undefined;
}

/** A comment on one line; paragraphs stay apart. */
const docOf = (symbol: ts.Symbol, checker: ts.TypeChecker): string =>
  ts
    .displayPartsToString(symbol.getDocumentationComment(checker))
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s+/g, " ").trim())
    .join("\n\n");

function fieldsOf(type: ts.Type, checker: ts.TypeChecker): Record<string, string> {
  if (!(type.flags & ts.TypeFlags.Object) || checker.isArrayType(type)) return {};
  const documented = type.getProperties().map((symbol) => [symbol.name, docOf(symbol, checker)] as const);
  return Object.fromEntries(documented.filter(([, text]) => text !== ""));
}

const keyed = (name: string, fields: Record<string, string> = {}) =>
  Object.keys(fields).length > 0 ? { [name]: fields } : {};

/** The first sentence and what follows it; a full stop before a small letter, as in `e.g. this`, ends none. */
const splitFirstSentence = (text: string): string[] => {
  const end = /[.!?](?=\s+[A-Z`])/.exec(text)?.index;
  return end === undefined ? [text] : [text.slice(0, end + 1), text.slice(end + 1).trim()];
};

if (import.meta.main) {
  for (const [path, text] of Object.entries(generate())) {
    const target = join(root, path);
    // What is the same stays untouched, so that nothing is built again for it.
    if (ts.sys.fileExists(target) && readFileSync(target, "utf8") === text) continue;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}
