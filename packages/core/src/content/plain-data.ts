import { isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type Node, parseDocument } from "yaml";
import { withoutByteOrderMark } from "../template/frontmatter.ts";
import type { Json } from "../template/variable.ts";

/** The value of YAML or JSON, or the problem as the end of a sentence. */
export type PlainData = { value: Json } | { problem: string };

/** As long as an entry file may be. The parser takes a kilobyte of memory for a few characters. */
const maxYaml = 256 * 1024;
const maxDepth = 32;
const nestedTooDeeply = `is nested more than ${maxDepth} levels deep`;

/** Ends a walk through hostile data at the first invalid value. It never leaves this file. */
class Refusal extends Error {}

/**
 * What frontmatter may have. Each token takes the parser a microsecond and more, while others wait; lists of short words that fill
 * the 16 KiB have 11,500.
 */
const maxTokens = 12_000;

/**
 * Reads YAML 1.2 of the core schema. Anchors, aliases and tags are rejected: with them, a few bytes can expand to gigabytes.
 * `firstLine` is the number of its first line in the file, for messages.
 */
export function readYaml(text: string, firstLine: number): PlainData {
  return text.length <= maxYaml && hasMoreTokens(maxTokens, text)
    ? { problem: `has more than ${maxTokens.toLocaleString("en")} words, marks and line breaks` }
    : readYamlFile(text, firstLine);
}

/** The same of a whole file, which takes up to half a second: where nobody waits. */
export function readYamlFile(text: string, firstLine = 1): PlainData {
  if (text.length > maxYaml) return { problem: "is longer than 256 KiB" };
  const lineCounter = new LineCounter();
  const at: Position = (offset = 0) => `on line ${lineCounter.linePos(offset).line + firstLine - 1}`;
  // Duplicate keys are checked below, since the parser would compare each key with every other.
  if (opensMoreThan(maxOpen, text)) return { problem: nestedTooDeeply };
  const document = withoutTraces(() =>
    parseDocument(text, {
      version: "1.2",
      schema: "core",
      uniqueKeys: false,
      prettyErrors: false,
      lineCounter,
      logLevel: "error",
    }),
  );
  const [error] = document.errors;
  if (document.errors.some(({ code }) => code === "RESOURCE_EXHAUSTION")) return { problem: nestedTooDeeply };
  if (error !== undefined) {
    // Usually an author wrote a sentence with a colon.
    const advice =
      error.code === "BLOCK_AS_IMPLICIT_KEY" ? "; put quotes around a value that holds a colon" : "";
    return { problem: `is not valid YAML ${at(error.pos[0])}: ${error.message.slice(0, 200)}${advice}` };
  }
  return attempt(() => fromYaml(document.contents, 0, at));
}

/** The largest depth of brackets. The parser recurses for each, and would exhaust the stack. */
const maxOpen = 200;

function opensMoreThan(most: number, text: string): boolean {
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open += bracket === "[" || bracket === "{" ? 1 : -1;
    if (open > most) return true;
  }
  return false;
}

function hasMoreTokens(most: number, text: string): boolean {
  // A character gives two tokens at most.
  if (2 * text.length <= most) return false;
  let left = most;
  for (const _ of new Lexer().lex(text)) if (--left < 0) return true;
  return false;
}

/** The parser creates an error for each invalid character, and the stack trace is most of the cost of an error. */
function withoutTraces<T>(work: () => T): T {
  const traced = Error as { stackTraceLimit?: number };
  const { stackTraceLimit } = traced;
  traced.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    traced.stackTraceLimit = stackTraceLimit;
  }
}

/** Reads JSON. */
export function readJson(text: string): PlainData {
  try {
    const value: Json = JSON.parse(withoutByteOrderMark(text));
    return attempt(() => value);
  } catch (error) {
    return { problem: `is not valid JSON: ${(error as Error).message.slice(0, 200)}` };
  }
}

function attempt(read: () => Json): PlainData {
  try {
    const value = read();
    refuseUnstorable(value, 0);
    return { value };
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message };
    throw error;
  }
}

/** Describes the position of an offset: `on line 3`. */
type Position = (offset: number | undefined) => string;

function fromYaml(node: Node | null, depth: number, at: Position): Json {
  if (node === null) return null;
  if (depth > maxDepth) throw new Refusal(`${nestedTooDeeply} ${at(node.range?.[0])}`);
  refuseMarkup(node, at);
  if (isSeq<Node | null>(node)) return node.items.map((item) => fromYaml(item, depth + 1, at));
  if (!isMap<Node | null, Node | null>(node)) return isScalar<Json>(node) ? node.value : null;
  const object = new Map<string, Json>();
  for (const { key, value } of node.items) {
    if (!isScalar(key))
      throw new Refusal(
        `has a key that is not a word ${at(node.range?.[0])}; put quotes around a value that begins with {`,
      );
    refuseMarkup(key, at);
    const name = String(key.value);
    if (object.has(name)) throw new Refusal(`has a key twice ${at(key.range?.[0])}`);
    object.set(name, fromYaml(value, depth + 1, at));
  }
  return Object.fromEntries(object);
}

function refuseMarkup(node: Node, at: Position): void {
  const where = at(node.range?.[0]);
  if (isAlias(node) || node.anchor !== undefined) {
    throw new Refusal(`has an anchor or alias ${where}; write it out`);
  }
  if (node.tag !== undefined) throw new Refusal(`has a tag ${where}; leave it out`);
}

/** Rejects what JSON or the database cannot store, and the one key that could reach a prototype. */
function refuseUnstorable(value: Json, depth: number): void {
  if (depth > maxDepth) throw new Refusal(nestedTooDeeply);
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new Refusal("has a number that is not finite");
  }
  if (typeof value === "string" && (!value.isWellFormed() || value.includes("\0"))) {
    throw new Refusal("has a text with NUL or half a surrogate pair");
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (key === "__proto__") throw new Refusal("has a key __proto__, which is not allowed");
    refuseUnstorable(key, depth + 1);
    refuseUnstorable(item, depth + 1);
  }
}
