import { existsSync } from "node:fs";
import { parseRef } from "@promptreg/core/refs";
import {
  type Json,
  type RenderableVersion,
  RenderError,
  renderVersion,
  usedIn,
  type Values,
  type Variable,
} from "@promptreg/core/template";
import { entryFiles } from "@promptreg/core/content";
import { InputError, UsageError } from "../errors.ts";
import { readVersion } from "../requests/read-version.ts";
import { readPairs } from "../requests/read-pairs.ts";
import type { Context } from "../settings/context.ts";
import { readInput } from "../terminal/read-input.ts";
import { findFolders, placesOr } from "./local/find-folders.ts";
import { readPrompt } from "./local/read-prompt.ts";
import { isObject } from "../terminal/objects.ts";

interface Options {
  var?: string[];
  vars?: string;
}

/** Fills in a prompt and shows it. What has no value stays as it is, and the command fails after that. */
export async function render(
  context: Context,
  given: string | undefined,
  { var: pairs = [], vars }: Options,
): Promise<void> {
  const { output, stdin } = context;
  const { name, version } = await read(context, given);
  const file = vars === undefined ? {} : objectIn(await readInput(vars, stdin), vars);
  const types = new Map(version.variables.map((variable) => [variable.name, variable.type]));
  const written = readPairs(pairs).map(([key, text]) => [key, valueOf(types.get(key), text)] as const);
  const { places } = usedIn(version);
  const rendered = fill(version, { ...file, ...Object.fromEntries(written) }, places);
  const { text, missing } = rendered;
  output.result({ prompt: name, ...rendered }, () => output.foreign(text.replace(/\n$/, "")));
  if (places.length > 0)
    output.note(`Without the messages for ${places.join(", ")}, which an application gives.`);
  if (missing.length > 0)
    throw new InputError(
      `Without a value: ${missing.join(", ")}. Use --var name=value, or --vars file.json.`,
    );
}

/** The prompt of a folder, or that of the registry. */
async function read({ connect }: Context, given: string | undefined) {
  const [what = "."] = placesOr(given === undefined ? [] : [given]);
  if (existsSync(what) || !what.includes("/")) {
    const [folder = what, ...others] = await findFolders([what]);
    if (others.length > 0)
      throw new UsageError(`${what} holds ${others.length + 1} prompts. Name the folder of one.`);
    const { manifest, files, entry } = await readPrompt(folder, { isThorough: true });
    const version: RenderableVersion = {
      entry: entryFiles[manifest.kind],
      files: files.map(({ encoding = "utf8", ...file }) => ({ ...file, encoding })),
      variables: entry.variables,
    };
    return { name: folder, version };
  }
  const address = addressIn(what);
  const { prompt, version } = await readVersion(await connect(), address);
  return { name: `${prompt.ref}@${version.n}`, version };
}

function addressIn(what: string) {
  try {
    return parseRef(what);
  } catch (error) {
    throw new UsageError(`${(error as Error).message} A folder of that name is not here either.`);
  }
}

function objectIn(text: string, source: string): Values {
  const name = source === "-" ? "Standard input" : source;
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new InputError(`${name} is no JSON: ${(error as Error).message}.`);
  }
  throw new InputError(`${name} must be a JSON object with a value for each variable.`);
}

/** A value as its type has it. One that does not fit stays text, which is refused then. */
function valueOf(type: Variable["type"] | undefined, text: string): Json {
  if (type !== "number" && type !== "boolean" && type !== "json") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function fill(version: RenderableVersion, values: Values, places: readonly string[]) {
  const messages = Object.fromEntries(places.map((place) => [place, []]));
  try {
    return renderVersion(version, values, { messages });
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    if (error.missing.length === 0 || error.unknown.length > 0 || error.invalid.length > 0)
      throw new InputError(error.message);
    return renderVersion(version, values, { messages, strict: false });
  }
}
