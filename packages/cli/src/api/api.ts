import { drawAnswer } from "../terminal/draw.ts";
import { printJson } from "../terminal/text.ts";
import type { Answered } from "@promptreg/client";
import { type Fields, readFields } from "./fields.ts";
import { type Address, methods, type Operation, operationAt, operationOf, operations } from "./operations.ts";
import { methodOf } from "../requests/method-of.ts";
import type { Context } from "../settings/context.ts";
import { UsageError } from "../errors.ts";

interface CallOptions {
  headers: Record<string, string>;
  accept?: string;
  idempotencyKey?: string;
}

interface ApiOptions extends Pick<Fields, "body"> {
  form?: boolean;
  header?: readonly string[];
  paginate?: boolean;
  include?: boolean;
  help?: boolean;
}

export async function api(
  context: Context,
  name: string | undefined,
  rest: readonly string[],
  { body, form, header = [], paginate, include, help }: ApiOptions,
): Promise<void> {
  const { output, stdin } = context;
  if (name === undefined) {
    const rows = operations.map(({ id, method, path }) => [id, method, path]);
    const routes = Object.fromEntries(rows.map(([id, method, path]) => [id, `${method} ${path}`]));
    output.result(routes, () => output.table(["operation", "method", "path"], rows));
    return;
  }
  const { operation, pairs, ...address } = find(name, rest);
  if (help) {
    const { describe } = await import("./describe.ts");
    describe(operation, (await context.destination()).url, output);
    return;
  }
  if (paginate && !operation.isList)
    throw new UsageError(`${operation.id} is not a list, so --paginate does not apply.`);
  const options = readHeaders(header);
  const type = options.headers["content-type"];
  const input = await readFields(operation, address, { pairs, body, type, isForm: form }, stdin);
  const method = methodOf(await context.connect(), operation.id);
  try {
    if (paginate) await printItems(method(input, options), context);
    else {
      const answered = await method(input, options).withResponse();
      if (include) noteHeaders(answered, context);
      await printAnswer(operation.id, answered, context);
    }
  } catch (error) {
    // What would change the shape of the path.
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}

/** Reads `prompts.get`, `GET /prompts/ada/reply` or, for a GET, the path alone. */
function find(
  name: string,
  rest: readonly string[],
): { operation: Operation; pairs: readonly string[] } & Address {
  const method = name.toUpperCase();
  if (name.startsWith("/")) return { ...operationAt("GET", name), pairs: rest };
  if (!methods.includes(method))
    return { operation: operationOf(name), params: new Map(), query: new URLSearchParams(), pairs: rest };
  const [path = "", ...pairs] = rest;
  if (!path.startsWith("/")) throw new UsageError(`Write a path after ${method}, such as /me.`);
  return { ...operationAt(method, path), pairs };
}

/** Those that the client has a say in go to it by name. */
function readHeaders(given: readonly string[]): CallOptions {
  const options: CallOptions = { headers: {} };
  for (const text of given) {
    const [, written = "", value = ""] = /^([\w-]+)\s*[:=](.*)$/s.exec(text) ?? [];
    const name = written.toLowerCase();
    if (name === "") throw new UsageError(`"${text}" does not have the form name=value.`);
    // It would stand in the list of processes.
    if (name === "authorization")
      throw new UsageError(
        "A token is not a header here. It comes from the profile or from PROMPTREG_TOKEN.",
      );
    if (name === "accept") options.accept = value.trim();
    else if (name === "idempotency-key") options.idempotencyKey = value.trim();
    else options.headers[name] = value.trim();
  }
  return options;
}

function noteHeaders({ response }: Answered<unknown>, { output }: Context): void {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  for (const line of [`${response.status} ${response.statusText}`, ...headers]) output.note(line);
}

/** A list is a table for people at a terminal; all else, and all for programs, is what the registry sent. */
async function printAnswer(
  id: string,
  { data }: Answered<unknown>,
  { output, stdout }: Context,
): Promise<void> {
  if (!(data instanceof Response)) {
    const { items, nextCursor } = Object(data) as { items?: unknown[]; nextCursor?: string | null };
    const isTable = stdout.isTTY && !output.isJson && Array.isArray(items);
    const schema = isTable ? (await import("../requests/result-schema.ts")).resultSchema(id) : undefined;
    output.result(data, schema && (() => drawAnswer(data, schema, output)));
    if (schema) output.note(`--json shows all fields${nextCursor ? ", --paginate all pages" : ""}.`);
  } else if (stdout.isTTY) stdout.write(output.foreign(await data.text()));
  else for await (const chunk of data.body ?? []) stdout.write(chunk);
}

/** A list may be longer than memory: each item is printed as it comes, on a line of its own. */
async function printItems(items: AsyncIterable<unknown>, { stdout }: Context): Promise<void> {
  for await (const item of items) stdout.write(`${printJson(item, 0)}\n`);
}
