import { placeholders } from "../template/render.ts";
import { requiredText } from "../template/variable.ts";
import type { Format } from "./format.ts";
import { asTemplates, omittedPlaceholders, plainItems } from "./messages.ts";
import { omittedDefaults, omittedSettings } from "./omitted.ts";
import { describe, jsonFile } from "./text.ts";

/** What a server of the Model Context Protocol lists and returns for a prompt. It fills in the `{{name}}` itself. */
export const mcpPrompt: Format = {
  reads: "entry",
  write(prompt) {
    const { slug, title, version } = prompt;
    const own = { ...prompt, messages: asTemplates(prompt) };
    const items = plainItems(own, "mcp-prompt").flatMap((item) => ("placeholder" in item ? [] : [item]));
    const declared = new Map(version.variables.map((variable) => [variable.name, variable]));
    const names = new Set(placeholders(prompt.body));
    const described = {
      name: slug,
      title,
      description: describe(prompt, 1024),
      arguments: [...names].map((name) => {
        const { description, required, default: value } = declared.get(name) ?? requiredText(name);
        return { name, description, required: required && value === null };
      }),
      // The protocol has no role for a system text.
      messages: items.map(({ role, text }) => ({
        role: role === "system" ? "user" : role,
        content: { type: "text", text },
      })),
    };
    return {
      files: [jsonFile(`${slug}.json`, described)],
      warnings: [
        ...omittedPlaceholders(prompt),
        ...omittedDefaults(prompt, "MCP"),
        ...omittedSettings(prompt, "MCP", []),
      ],
    };
  },
};
