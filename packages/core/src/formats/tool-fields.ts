import { placeholders } from "../template/render.ts";
import type { Json } from "../template/variable.ts";
import type { FormatPrompt } from "./format.ts";

/** The tools that an agent or a command names; undefined if it names none. */
export function toolsOf({ data }: FormatPrompt): string[] | undefined {
  const tools = data["tools"] ?? data["allowed-tools"];
  // A comma in parentheses belongs to the tool: `Bash(git add, git commit)`.
  const listed = typeof tools === "string" ? (tools.match(/(?:\([^()]*\)|[^,])+/g) ?? []) : tools;
  const names = textsIn(listed).flatMap((name) => name.trim() || []);
  return names.length === 0 ? undefined : names;
}

/** What a user sees behind the name of a command while typing. */
export function hintOf({ data, body }: FormatPrompt): string | undefined {
  const hint = data["argumentHint"] ?? data["argument-hint"];
  if (typeof hint === "string") return hint;
  const names = Array.isArray(hint) ? textsIn(hint) : placeholders(body);
  return names.map((name) => `[${name}]`).join(" ") || undefined;
}

const textsIn = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

/** The name of an agent: its own, if it is one that every tool takes. */
export const agentName = ({ data, slug }: FormatPrompt): string =>
  typeof data["name"] === "string" && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(data["name"]) ? data["name"] : slug;

/** The model that the prompt asks for. */
export function modelOf({ data, version }: FormatPrompt): string | undefined {
  const model = data["model"] ?? version.config["model"];
  return typeof model === "string" ? model : undefined;
}
