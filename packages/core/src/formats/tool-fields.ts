import { placeholders } from "../template/render.ts";
import type { FormatPrompt } from "./format.ts";

/** The tools that an agent or a command names; undefined if it names none. */
export function toolsOf({ data }: FormatPrompt): string[] | undefined {
  const { tools } = data;
  const names = Array.isArray(tools) ? tools.filter((one): one is string => typeof one === "string") : [];
  return names.length === 0 ? undefined : names;
}

/** What a user sees behind the name of a command while typing. */
export function hintOf({ data, body }: FormatPrompt): string | undefined {
  if (typeof data["argumentHint"] === "string") return data["argumentHint"];
  return (
    placeholders(body)
      .map((name) => `[${name}]`)
      .join(" ") || undefined
  );
}

/** The name of an agent: its own, if it is one that every tool takes. */
export const agentName = ({ data, slug }: FormatPrompt): string =>
  typeof data["name"] === "string" && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(data["name"]) ? data["name"] : slug;

/** The model that the prompt asks for. */
export function modelOf({ data, version }: FormatPrompt): string | undefined {
  const model = data["model"] ?? version.config["model"];
  return typeof model === "string" ? model : undefined;
}
