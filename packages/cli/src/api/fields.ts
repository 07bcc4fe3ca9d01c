import { InputError, UsageError } from "../errors.ts";
import { readBytes, readInput } from "../terminal/read-input.ts";
import { type Address, type Operation, paramsOf } from "./operations.ts";
import { isObject } from "../terminal/objects.ts";

/** What is said for a request beside its address. */
export interface Fields {
  pairs: readonly string[];
  /** JSON, the name of a file, or `-`. */
  body?: string;
  /** The media type that a header gives to the body. */
  type?: string | undefined;
  /** Whether the body is sent as a form instead of JSON. */
  isForm?: boolean;
}

/**
 * Brings each `name=value` to where the operation has it: into its path, its query, or else, where it takes one, into the
 * body. There `name:=value` is JSON, and `name=@file` the content of a file.
 */
export async function readFields(
  { id, method, path, notes, hasBody }: Operation,
  { params, query }: Address,
  { pairs, body, type = "application/json", isForm = false }: Fields,
  stdin: AsyncIterable<Uint8Array>,
): Promise<Record<string, unknown>> {
  const names = paramsOf(path);
  const inBody = new Map<string, unknown>();
  for (const pair of pairs) {
    const [, name = "", isJson, value = ""] = /^([^=]+?)(:)?=(.*)$/s.exec(pair) ?? [];
    if (name === "") throw new UsageError(`"${pair}" does not have the form name=value.`);
    if (names.includes(name)) params.set(name, value);
    else if (!hasBody || (notes.query !== undefined && Object.hasOwn(notes.query, name)))
      query.append(name, value);
    else add(inBody, name, isJson ? parseJson(value, name) : await readValue(value, stdin));
  }
  const missing = names.filter((name) => !params.get(name));
  if (missing.length > 0) {
    const example = missing.map((name) => `${name}=…`).join(" ");
    throw new UsageError(
      `${id} is ${method} ${path}, so it also needs ${example}. \`promptreg api ${id} --help\` shows more.`,
    );
  }
  const isJson = type.startsWith("application/json");
  const sent = await (isJson || isForm ? bodyOf(inBody, body, stdin) : fileOf(inBody, body, stdin));
  return {
    ...Object.fromEntries(params),
    query: asQuery(query),
    ...(sent !== undefined && { body: isForm ? asForm(sent) : sent }),
  };
}

/** A name that stands several times is a list. */
function add(fields: Map<string, unknown>, name: string, value: unknown): void {
  fields.set(name, fields.has(name) ? [fields.get(name), value].flat() : value);
}

const asQuery = (query: URLSearchParams) =>
  Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));

const readValue = async (value: string, stdin: AsyncIterable<Uint8Array>) =>
  value.startsWith("@") ? await readInput(value.slice(1), stdin) : value;

/** The fields go over what a body that is given whole says. */
async function bodyOf(
  fields: ReadonlyMap<string, unknown>,
  text: string | undefined,
  stdin: AsyncIterable<Uint8Array>,
): Promise<unknown> {
  if (text === undefined) return fields.size > 0 ? Object.fromEntries(fields) : undefined;
  const json = /^\s*[[{]/.test(text) ? text : await readInput(text.replace(/^@/, ""), stdin);
  const whole = parseJson(json);
  if (fields.size === 0) return whole;
  if (!isObject(whole)) throw new UsageError("Only a body that is an object can take more fields.");
  return { ...whole, ...Object.fromEntries(fields) };
}

/** A body that is no JSON is sent as it is. */
async function fileOf(
  fields: ReadonlyMap<string, unknown>,
  source: string | undefined,
  stdin: AsyncIterable<Uint8Array>,
): Promise<Uint8Array | undefined> {
  const [name] = fields.keys();
  if (name !== undefined) throw new UsageError(`A body of this content-type has no fields, such as ${name}.`);
  return source === undefined ? undefined : readBytes(source.replace(/^@/, ""), stdin);
}

function parseJson(text: string, name?: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const what = name === undefined ? "The body" : `"${name}"`;
    const hint =
      name === undefined
        ? " Another type of body needs a header, such as --header content-type=text/csv."
        : " For text, write = instead of :=.";
    throw new InputError(`${what} is not valid JSON: ${(error as Error).message}.${hint}`);
  }
}

function asForm(body: unknown): URLSearchParams {
  if (!isObject(body)) throw new UsageError("A form needs fields: name=value.");
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    for (const one of [value].flat()) form.append(name, String(one));
  }
  return form;
}
