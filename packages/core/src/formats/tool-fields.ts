import { placeholders } from "../template/render.ts";
import type { Json } from "../template/variable.ts";
import type { FormatPrompt } from "./format.ts";

/** The tools that an agent or a command names; undefined if it says nothing of them, and none if its list is empty. */
export function toolsOf({ data }: FormatPrompt): string[] | undefined {
  const tools = data["tools"] ?? data["allowed-tools"];
  // A comma in parentheses belongs to the tool: `Bash(git add, git commit)`.
  const listed = typeof tools === "string" ? (tools.match(/(?:\([^()]*\)|[^,])+/g) ?? []) : tools;
  const names = textsIn(listed).flatMap((name) => name.trim() || []);
  return names.length > 0 || (Array.isArray(tools) && tools.length === 0) ? names : undefined;
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

/**
 * What a prompt says to one tool alone, in the names of that tool: the fields that are harmless there go out as they are. Of those that
 * start something, connect to something or take permission nothing goes out, and a warning says so.
 */
export function ownFields(
  { data }: FormatPrompt,
  tool: string,
  names: { harmless: readonly string[]; powerful: readonly string[] },
): { fields: Record<string, Json>; warnings: string[] } {
  const isPlain = (value: Json | undefined): value is Json =>
    value !== undefined && value !== null && [value].flat().every((one) => typeof one !== "object");
  const { harmless, powerful } = names;
  const left = powerful.filter((name) => data[name] !== undefined);
  return {
    fields: Object.fromEntries(
      harmless.flatMap((name) => {
        const value = data[name];
        return isPlain(value) ? [[name, value]] : [];
      }),
    ),
    warnings:
      left.length === 0
        ? []
        : [
            `What gives ${tool} more than a text is left out: ${left.join(", ")}. Add it by hand if you want it.`,
          ],
  };
}

/** The name of an agent: its own, if it is one that every tool takes. */
export const agentName = ({ data, slug }: FormatPrompt): string =>
  typeof data["name"] === "string" && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(data["name"]) ? data["name"] : slug;

/** The model that the prompt asks for. */
export function modelOf({ data, version }: FormatPrompt): string | undefined {
  const model = data["model"] ?? version.config["model"];
  return typeof model === "string" ? model : undefined;
}
