import { readJson } from "../../content/plain-data.ts";

/** An object of JSON or YAML. */
export type Values = Record<string, unknown>;

export const isObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const textIn = (value: unknown): string | null =>
  typeof value === "string" && value.trim() !== "" ? value : null;

export const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

/** The value of a text that is JSON. Most JSON files hold no prompts, so those without a word that all of a format have are not parsed. */
export function parseJson(text: string, word: string): unknown {
  const data = text.includes(word) ? readJson(text) : undefined;
  return data !== undefined && "value" in data ? data.value : undefined;
}

/** The folder of a file, with a slash at its end; empty at the top. */
export const prefixOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

/** The name of a file without its folder and its ending. */
export const baseName = (path: string, ending: string): string =>
  path.slice(prefixOf(path).length, path.length - ending.length);

/** A name for a text that has none. */
export function firstWords(text: string): string {
  const words = text.trimStart().slice(0, 200).replace(/[{}]/g, "").replace(/\s+/g, " ").trim();
  return words.length <= 60 ? words : words.slice(0, 60).replace(/\s\S*$/, "");
}
