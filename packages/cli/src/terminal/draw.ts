import type { Schema } from "@promptreg/core";
import type { Output } from "./output.ts";
import { cell, counted, printJson } from "./text.ts";

/** As much of a zod schema as is read here; zod itself is loaded with the contract, never by this file. */
interface Node {
  def: {
    type: string;
    innerType?: Node;
    element?: Node;
    valueType?: Node;
    shape?: Readonly<Record<string, Node>>;
  };
  meta: () => { format?: string } | undefined;
}

/**
 * How a field is shown. `reference` is an object of which one field is its name, `map` has a name for each value, and
 * `group` is any other object.
 */
type Kind = "time" | "value" | "values" | "reference" | "counts" | "map" | "group" | "things" | "json";

interface Field {
  name: string;
  kind: Kind;
  node: Node;
}

/** What names a thing, the clearest first. */
const identities = ["ref", "handle", "slug", "name", "caseKey", "n", "id"];
/** What people type or open. */
const typed = ["ref", "handle", "slug", "url"];
/** The widest text of a thing: as the last column it is cut first. */
const longTexts = ["title", "description"];
/** Columns that say what another column says already, or too much for a table. */
const leftOut = /^(id|url|slug|owner|summary)$|(Id|Url|Hash)$/;
const mostColumns = 6;

/**
 * Draws items of a list as a table, by the schema of the list or of one item. Without names of columns it takes what
 * names an item, what it belongs to, a few of its values, and its title.
 */
export function drawList(
  items: readonly unknown[],
  schema: Schema<unknown>,
  output: Output,
  names?: readonly string[],
): string {
  const columns = columnsOf(fieldsOf(itemOf(asNode(schema))), names);
  return output.table(
    columns.map(({ heading }) => heading),
    items.map((item) => columns.map(({ text }) => text(asRecord(item), output))),
    columns.filter(({ isWhole }) => isWhole).map(({ heading }) => heading),
  );
}

/** Draws an answer: a page of a list as a table, one thing as fields, with its own lists as tables below. */
export function drawAnswer(data: unknown, schema: Schema<unknown>, output: Output): string {
  const record = asRecord(data);
  const all = fieldsOf(asNode(schema));
  // An answer that has several forms.
  if (all.length === 0) return printJson(data);
  if (all.some(({ name }) => name === "nextCursor")) return drawList(asList(record["items"]), schema, output);
  const fields = all.filter(({ name }) => record[name] !== undefined);
  const rows = fields
    .filter(({ kind }) => kind !== "things")
    .flatMap((field) => rowsOf(field, record, output));
  const tables = fields
    .filter(({ name, kind }) => kind === "things" && asList(record[name]).length > 0)
    .map(({ name, node }) => {
      const table = drawList(asList(record[name]), node as unknown as Schema<unknown>, output);
      return `${output.colors.bold(wordsOf(name))}\n${table}`;
    });
  return [output.fields(rows), ...tables].filter(Boolean).join("\n\n");
}

/** A group of fields is shown field by field, each after the name of the group. */
function rowsOf(field: Field, record: Record<string, unknown>, output: Output): [string, string][] {
  const value = record[field.name];
  const heading = wordsOf(field.name);
  if (field.kind !== "group" || value === null) return [[heading, textOf(field, value, output) || "none"]];
  return fieldsOf(field.node).flatMap((inner) =>
    rowsOf(inner, asRecord(value), output).map(([name, text]): [string, string] => [
      `${heading} ${name}`,
      text,
    ]),
  );
}

interface Column {
  heading: string;
  isWhole: boolean;
  text: (item: Record<string, unknown>, output: Output) => string;
}

function columnsOf(fields: readonly Field[], names?: readonly string[]): Column[] {
  if (names !== undefined)
    return names.flatMap((name) => fields.filter((field) => field.name === name).map(columnOf));
  const isShown = ({ kind }: Field) => !["group", "things", "json", "counts"].includes(kind);
  const identity = identities.find((name) => fields.some((field) => field.name === name));
  // What every item has goes before what some have.
  const rank = ({ name, kind, node }: Field) =>
    name === identity ? 0 : bareOf(node) !== node ? 3 : kind === "reference" ? 1 : 2;
  const short = fields
    .filter((field) => field.name === identity || (isShown(field) && !leftOut.test(field.name)))
    .filter(({ name }) => !longTexts.includes(name))
    .sort((a, b) => rank(a) - rank(b));
  const long = fields.filter(({ name }) => longTexts.includes(name)).slice(0, 1);
  return [
    ...short.slice(0, mostColumns).map(columnOf),
    ...long.map(columnOf),
    ...(long.length === 0 ? short.filter(isTitled).slice(0, 1).map(titleOf) : []),
  ];
}

const columnOf = (field: Field): Column => ({
  heading: wordsOf(field.name),
  isWhole: typed.includes(field.name),
  text(item, output) {
    const text = textOf(field, item[field.name], output);
    return identities.includes(field.name) || field.kind === "reference" ? output.colors.bold(text) : text;
  },
});

/** What an item is about often has a title, which says more than its name. */
const isTitled = ({ kind, node }: Field) => kind === "reference" && "title" in shapeOf(node);
const titleOf = ({ name }: Field): Column => ({
  heading: "title",
  isWhole: false,
  text: (item) => valueText(asRecord(item[name])["title"]),
});

function textOf({ kind, node }: Field, value: unknown, { moment }: Output): string {
  if (value === null || value === undefined) return "";
  if (kind === "time") return typeof value === "string" ? cell(moment(value)) : valueText(value);
  if (kind === "values") return asList(value).map(valueText).join(", ");
  if (kind === "reference") return valueText(asRecord(value)[identityOf(node) ?? ""]);
  if (kind === "counts")
    return Object.entries(asRecord(value))
      .filter(([, count]) => count !== 0)
      .map(([name, count]) => counted(Number(count), wordsOf(name)))
      .join(", ");
  if (kind === "map")
    return Object.entries(asRecord(value))
      .map(([name, one]) => `${cell(name)} ${valueText(one)}`)
      .join(", ");
  if (kind === "things") return String(asList(value).length);
  return valueText(value);
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return cell(typeof value === "string" ? value : JSON.stringify(value));
}

/** `updatedAt` is `updated`, `versionNumber` is `version`, `updatedBy` is `updated by`. */
const wordsOf = (name: string): string =>
  (name === "at" ? "when" : cell(name))
    .replace(/(?<=.)(At|Number)$/, "")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const fieldsOf = (node: Node): Field[] =>
  Object.entries(shapeOf(node)).map(([name, field]) => ({ name, kind: kindOf(field), node: field }));

function kindOf(node: Node): Kind {
  const bare = bareOf(node);
  const { type, element } = bare.def;
  if (type === "string") return bare.meta()?.format === "date-time" ? "time" : "value";
  if (type === "array") return element && bareOf(element).def.type === "object" ? "things" : "values";
  if (type === "record") return bare.def.valueType && isPlain(bare.def.valueType) ? "map" : "json";
  if (type !== "object") return ["any", "unknown"].includes(type) ? "json" : "value";
  if (identityOf(bare) !== undefined) return "reference";
  const isCount = (field: Node) => bareOf(field).def.type === "number";
  return Object.values(shapeOf(bare)).every(isCount) ? "counts" : "group";
}

const isPlain = (node: Node) =>
  !["any", "unknown", "object", "array", "record"].includes(bareOf(node).def.type);

const identityOf = (node: Node) => identities.find((name) => name in shapeOf(node));

/** An optional or nullable schema is shown as what it holds. */
const bareOf = (node: Node): Node => (node.def.innerType ? bareOf(node.def.innerType) : node);
const shapeOf = (node: Node) => bareOf(node).def.shape ?? {};

/** Of a page its items, of a list its elements. */
function itemOf(node: Node): Node {
  const list = shapeOf(node)["items"] ?? node;
  return bareOf(list).def.element ?? bareOf(list);
}

const asNode = (schema: Schema<unknown>) => schema as unknown as Node;
// What the registry sends need not fit its schema.
const asRecord = (value: unknown) => Object(value ?? {}) as Record<string, unknown>;
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
