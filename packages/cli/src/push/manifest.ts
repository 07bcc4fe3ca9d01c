import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PromptKind, Rating, Visibility } from "@promptreg/core";
import { promptKinds } from "@promptreg/core/content";
import { InputError } from "../errors.ts";
import { didYouMean } from "../near.ts";
import { unreadable } from "../read-input.ts";

/** The file that makes a folder a prompt; it stays at home. */
export const manifestName = "promptreg.json";

/** What a folder's promptreg.json says. */
export interface Manifest {
  /** `owner/slug`, or `slug` alone for a prompt of the token's account. */
  prompt: string;
  kind: PromptKind;
  title: string;
  summary?: string | null;
  tags?: string[];
  license?: string | null;
  visibility?: Visibility;
  rating?: Rating;
}

type Rule = readonly [fits: (value: unknown) => boolean, expected: string];

const isText = (value: unknown): value is string => typeof value === "string";
const word = "[a-z0-9]+(-[a-z0-9]+)*";
const isAddress = (value: unknown) => isText(value) && new RegExp(`^(${word}/)?${word}$`).test(value);
const oneOf = (...values: string[]): Rule => [
  (value) => values.includes(value as string),
  `must be one of: ${values.join(", ")}`,
];
const orNull = ([fits, expected]: Rule): Rule => [(value) => value === null || fits(value), expected];
const text: Rule = [(value) => isText(value) && value !== "", "must be text"];

const required: Record<string, Rule> = {
  prompt: [isAddress, 'must be its address, such as "support-reply" or "ada/support-reply"'],
  kind: oneOf(...promptKinds),
  title: text,
};
const optional: Record<string, Rule> = {
  summary: orNull(text),
  tags: [(value) => Array.isArray(value) && value.every(isText), 'must be a list, such as ["support"]'],
  license: orNull(text),
  visibility: oneOf("public", "unlisted", "private"),
  rating: oneOf("general", "sensitive", "mature"),
};

/** Reads the manifest of a folder; the registry checks lengths and letters, this what would be misunderstood. */
export async function readManifest(folder: string): Promise<Manifest> {
  const file = join(folder, manifestName);
  const content = await readFile(file, "utf8").catch((error: unknown) => {
    throw unreadable(file, error);
  });
  const manifest = parse(content, file);
  const rules = { ...required, ...optional };
  const problems = Object.entries(rules).flatMap(([key, [fits, expected]]) =>
    (manifest[key] === undefined && !Object.hasOwn(required, key)) || fits(manifest[key])
      ? []
      : [{ path: key, message: expected }],
  );
  for (const key of Object.keys(manifest)) {
    if (Object.hasOwn(rules, key)) continue;
    problems.push({ path: key, message: `means nothing here.${didYouMean(key, Object.keys(rules))}` });
  }
  if (problems.length > 0) throw new InputError(`${file} does not say what it should.`, problems);
  return manifest as unknown as Manifest;
}

function parse(content: string, file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    throw new InputError(`${file} is not valid JSON: ${(error as Error).message}.`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new InputError(`${file} must hold an object.`);
}
