import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promptKinds } from "@promptreg/core/content";
import { formatKinds, formatNames, type Tool, toolNames, tools } from "@promptreg/core/formats";
import { expect, test } from "vitest";

const names = (all: readonly string[]) => all.map((name) => `\`${name}\``).join(", ") || "none";

test.each(promptKinds)("the README says which tools and formats take the kind %s", async (kind) => {
  const readme = await readFile(join(import.meta.dirname, "../README.md"), "utf8");
  const places = (name: keyof typeof tools): Tool["places"] => tools[name].places;
  const taking = names(toolNames.filter((name) => places(name)[kind] !== undefined));
  const isIn = (name: keyof typeof formatKinds) => (formatKinds[name] as readonly string[]).includes(kind);
  const formats = names(formatNames.filter((name) => isIn(name) && name !== "markdown" && name !== "json"));
  expect(readme).toContain(`\n| \`${kind}\` | ${taking} | ${formats} |\n`);
});
