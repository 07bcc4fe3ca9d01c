import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generate } from "../../../scripts/generate.ts";

test("the committed files that are generated from the contract are what it says now", () => {
  for (const [path, text] of Object.entries(generate())) {
    const committed = readFileSync(join(import.meta.dirname, "../../..", path), "utf8");
    expect(committed, `${path} is stale: run \`npm run generate\` and commit what it writes`).toBe(text);
  }
});
