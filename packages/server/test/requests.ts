import { type Operation, mediaList, type Schema } from "@promptreg/core";
import fc from "fast-check";
import * as z from "zod";

/** JSON Schema, as far as the contract uses it. */
interface Shape {
  $ref?: string;
  $defs?: Record<string, Shape>;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Shape[];
  oneOf?: Shape[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Shape;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Shape>;
  required?: string[];
  additionalProperties?: boolean | Shape;
}

/** How much of what is optional is there: nothing, or as chance has it. */
type Fullness = "least" | "any";

const shapes = new Map<Schema<unknown>, Shape>();

/** Makes values that fit a schema, as far as JSON Schema can tell: rules in code (`refine`) it does not know. */
export function valuesOf(schema: Schema<unknown> | undefined, fullness: Fullness): fc.Arbitrary<unknown> {
  if (schema === undefined) return fc.constant({});
  const root =
    shapes.get(schema) ?? (z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Shape);
  shapes.set(schema, root);
  return valuesOfShape(root, { defs: root.$defs ?? {}, fullness, depth: 4 });
}

interface Around {
  defs: Record<string, Shape>;
  fullness: Fullness;
  /** How many levels of `$ref` may still be opened: shapes of JSON refer to themselves. */
  depth: number;
}

function valuesOfShape(shape: Shape, around: Around): fc.Arbitrary<unknown> {
  if (shape.$ref !== undefined) {
    const named = around.defs[shape.$ref.replace("#/$defs/", "")];
    if (named === undefined || around.depth === 0) return fc.constant(null);
    return valuesOfShape(named, { ...around, depth: around.depth - 1 });
  }
  if (shape.const !== undefined) return fc.constant(shape.const);
  if (shape.enum) return fc.constantFrom(...shape.enum);
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices) {
    const options = choices.map((choice) => valuesOfShape(choice, around));
    return around.fullness === "least" ? (options[0] ?? fc.constant(null)) : fc.oneof(...options);
  }
  switch (shape.type) {
    case "string":
      return texts(shape);
    case "integer":
      return fc.integer({
        min: Math.max(shape.minimum ?? -9, -(2 ** 31)),
        max: Math.min(shape.maximum ?? 99, 2 ** 31 - 1),
      });
    case "number":
      return fc.double({ min: shape.minimum ?? -1e9, max: shape.maximum ?? 1e9, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array": {
      const { minItems = 0, maxItems = 3 } = shape;
      const maxLength = around.fullness === "least" ? minItems : Math.max(minItems, Math.min(maxItems, 3));
      return fc.array(valuesOfShape(shape.items ?? {}, around), { minLength: minItems, maxLength });
    }
    case "object":
      return objects(shape, around);
    default:
      return around.fullness === "least" ? fc.constant(null) : fc.jsonValue({ maxDepth: 2 });
  }
}

/** To take a pattern apart costs tens of milliseconds, so each is taken apart once. */
const patterns = new Map<string, fc.Arbitrary<string>>();

function texts({ pattern, minLength = 0, maxLength = 40 }: Shape): fc.Arbitrary<string> {
  const longest = Math.max(minLength, Math.min(maxLength, 40));
  if (pattern === undefined) return fc.string({ minLength, maxLength: longest, unit: "grapheme" });
  let matching = patterns.get(pattern);
  if (!matching) {
    matching = fc.stringMatching(new RegExp(pattern, "u"), { size: "-1" });
    patterns.set(pattern, matching);
  }
  return matching.filter((text) => text.length <= maxLength);
}

function objects({ properties = {}, required = [], additionalProperties }: Shape, around: Around) {
  if (Object.keys(properties).length === 0 && around.fullness === "any" && additionalProperties !== false) {
    return fc.dictionary(fc.string({ maxLength: 9 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  }
  const wanted = Object.entries(properties).filter(
    ([name]) => around.fullness === "any" || required.includes(name),
  );
  const model = Object.fromEntries(wanted.map(([name, shape]) => [name, valuesOfShape(shape, around)]));
  return fc.record(model, { requiredKeys: required });
}

/** A request as it is before it becomes text. */
export interface Parts {
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  /** Undefined where the operation takes none. */
  body: unknown;
}

/** Makes requests of an operation that takes JSON, a form, or nothing. */
export function requestsOf(operation: Operation, fullness: Fullness): fc.Arbitrary<Parts> {
  const [medium] = mediaList(operation.body);
  return fc.record({
    params: valuesOf(operation.params, fullness),
    query: valuesOf(operation.query, fullness),
    body:
      medium?.kind === "json" || medium?.kind === "form" || medium?.kind === "multipart"
        ? valuesOf(medium.schema, fullness)
        : fc.constant(undefined),
  }) as fc.Arbitrary<Parts>;
}

const least = new Map<Operation, Parts>();

/** The smallest request of an operation, the same each time, to be changed at will. */
export function leastRequest(operation: Operation): Parts {
  const parts =
    least.get(operation) ?? fc.sample(requestsOf(operation, "least"), { numRuns: 1, seed: 1 })[0]!;
  least.set(operation, parts);
  return structuredClone(parts);
}

/** The path and query of a request. It refuses what has no value: a test would ask for a thing of the name `undefined`. */
export function addressOf({ route }: Operation, { params, query }: Pick<Parts, "params" | "query">): string {
  const textOf = (name: string, value: unknown) => {
    const text = String(value);
    if (value === undefined) throw new Error(`${route} lacks ${name}: does a scene stage what it is about?`);
    return text;
  };
  const path = route.replace(/^\S+ /, "").replace(/\{(\w+)(\*?)\}/g, (_, name: string, isMany: string) => {
    const text = textOf(name, params[name]);
    return isMany ? text.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(text);
  });
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, textOf(name, one)]),
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}

export interface Call {
  token?: string | undefined;
  headers?: Record<string, string>;
  /** A text, bytes or a form as it is; anything else is sent as JSON. */
  body?: unknown;
  redirect?: RequestRedirect;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined where it is none. */
  json: any;
}

/** Sends `GET /me` or the like to a server, by the network or by `fetch`, and reads the whole answer. */
export async function exchange(
  url: string,
  route: string,
  { token, headers, body, redirect = "manual" }: Call = {},
  fetch = globalThis.fetch,
): Promise<Answer> {
  const [method = "", path = ""] = route.split(" ");
  const isRaw =
    typeof body === "string" || [Uint8Array, FormData, URLSearchParams].some((type) => body instanceof type);
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    redirect,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && !isRaw && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}

/** Who sends requests: a person, or nobody. */
export interface Sender {
  request: (route: string, call?: Call) => Promise<Answer>;
}

/** The status of a refusal, and its code. */
export const codeOf = ({ status, json }: Answer) => [status, json?.error?.code];

/** What all pages of a list hold together; `route` may have a query. */
export async function itemsOf(who: Sender, route: string): Promise<any[]> {
  return (await pagesOf(who, route)).flatMap(({ json }) => json.items);
}

/** The pages of a list, from the first to the last; `between` happens after each. */
export async function pagesOf(
  who: Sender,
  route: string,
  between?: () => Promise<unknown>,
): Promise<Answer[]> {
  const pages: Answer[] = [];
  const next = `${route}${route.includes("?") ? "&" : "?"}cursor=`;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await who.request(cursor === "" ? route : next + cursor);
    if (page.status !== 200) throw new Error(`${route} answers ${page.status}: ${page.text}`);
    pages.push(page);
    cursor = page.json.nextCursor;
    await between?.();
  }
  return pages;
}
