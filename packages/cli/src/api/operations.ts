import { type OperationNotes, summaries } from "@promptreg/core/summaries";
import { routes } from "@promptreg/client/routes";
import { UsageError } from "../errors.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";

/** An operation of the API, as the command line knows it: its words, but no schemas. */
export interface Operation {
  id: string;
  method: string;
  /** With its parameters, such as `/prompts/{owner}/{slug}`. */
  path: string;
  notes: OperationNotes;
  /** Whether requests have a body. */
  hasBody: boolean;
  isList: boolean;
}

/** What stands in a path or behind it, by name. */
export interface Address {
  params: Map<string, string>;
  query: URLSearchParams;
}

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** All of them, in the order of the contract. */
export const operations: readonly Operation[] = Object.entries(routes).map(([id, route]) => {
  const [method = "", path = ""] = route.split(" ");
  const notes: OperationNotes = summaries[id as keyof typeof routes];
  const hasBody = ["POST", "PUT", "PATCH"].includes(method);
  return { id, method, path, notes, hasBody, isList: notes.query?.["cursor"] !== undefined };
});

/** The names of the parameters of a path. */
export const paramsOf = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\*?\}/g)].map(([, name = ""]) => name);

/** @throws {UsageError} with the id that was probably meant. */
export function operationOf(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (found !== undefined) return found;
  const hint = didYouMean(id, Object.keys(routes));
  throw new UsageError(`Unknown operation ${id}.${hint} \`promptreg api\` lists all.`);
}

/**
 * Finds the operation behind a method and a path as they stand in a log or in the reference, with `/api/v1` or without.
 * @throws {UsageError} with what there is instead.
 */
export function operationAt(method: string, address: string): { operation: Operation } & Address {
  const [path = "", ...query] = address.replace(/^\/api\/v1(?=\/)/, "").split("?");
  const segments = path.split("/");
  const matching = operations
    .filter((operation) => matches(operation.path.split("/"), segments))
    // What is written out goes before what is a parameter: /webhooks/events before /webhooks/{id}.
    .sort((a, b) => paramsOf(a.path).length - paramsOf(b.path).length);
  const operation = matching.find((one) => one.method === method);
  if (operation === undefined) {
    const others = matching.map((one) => one.method).join(", ");
    const firsts = [...new Set(operations.map((one) => `/${one.path.split("/")[1]}`))];
    const hint = others
      ? ` Its methods: ${others}.`
      : firsts.includes(`/${segments[1]}`)
        ? ""
        : didYouMean(`/${segments[1]}`, firsts);
    throw new UsageError(`Unknown operation ${method} ${path}.${hint} \`promptreg api\` lists all.`);
  }
  const params = new Map<string, string>();
  operation.path.split("/").forEach((part, index) => {
    const [name] = paramsOf(part);
    if (name === undefined) return;
    const rest = part.endsWith("*}") ? segments.slice(index) : segments.slice(index, index + 1);
    params.set(name, rest.map(decode).join("/"));
  });
  return { operation, params, query: new URLSearchParams(query.join("?")) };
}

function matches(template: readonly string[], segments: readonly string[]): boolean {
  if (
    template.at(-1)?.endsWith("*}") ? segments.length < template.length : segments.length !== template.length
  )
    return false;
  return template.every((part, index) => part.startsWith("{") || part === segments[index]);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new UsageError(`"${segment}" is not valid in an address: two hexadecimal digits must follow a %.`);
  }
}
