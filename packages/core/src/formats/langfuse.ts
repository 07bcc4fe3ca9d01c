import type { Format } from "./format.ts";
import { plainItems } from "./messages.ts";
import { toMustache } from "./mustache.ts";
import { omittedDefaults } from "./omitted.ts";
import { jsonFile } from "./text.ts";

/** The body of a request that creates a prompt in Langfuse (POST /api/public/v2/prompts). */
export const langfuse: Format = {
  reads: "entry",
  write(prompt) {
    const { slug, kind, body, labels, tags, version } = prompt;
    const written =
      kind === "text"
        ? toTemplate(body)
        : plainItems(prompt, "langfuse").map((item) =>
            "placeholder" in item
              ? { type: "placeholder", name: item.placeholder }
              : { role: item.role, content: toTemplate(item.text) },
          );
    const created = {
      name: slug,
      type: kind === "text" ? "text" : "chat",
      prompt: written,
      config: version.config,
      // Langfuse moves this label by itself.
      labels: labels.filter((label) => label !== "latest"),
      tags,
      commitMessage: version.message ?? undefined,
    };
    return {
      files: [jsonFile(`${slug}.json`, created)],
      warnings: [...omittedDefaults(prompt, "Langfuse"), ...escapeWarning(written)],
    };
  },
};

const toTemplate = (text: string) => toMustache(text, (name) => `{{${name}}}`);

const escapeWarning = (written: unknown) =>
  JSON.stringify(written).includes("{{=")
    ? ["The text has {{ that begins no variable. Langfuse's client for Python shows marks around it."]
    : [];
