// The OpenAPI document of the contract under the recommended rules of Redocly and of Spectral; whether examples
// fit their schemas is among them. Run with `npm ci && npm start` on Node 24.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contract } from "../../packages/core/src/contract.ts";
import { printOpenapi } from "../../packages/server/src/kernel/openapi/document.ts";

const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), "promptreg-openapi-"));
const path = join(folder, "openapi.json");
const ruleset = join(folder, "spectral.json");
writeFileSync(
  path,
  JSON.stringify(printOpenapi(contract, { publicUrl: "https://prompts.example" }), null, 2),
);
writeFileSync(ruleset, JSON.stringify({ extends: "spectral:oas" }));

const linters = {
  redocly: ["lint", "--extends=recommended", path],
  spectral: ["lint", `--ruleset=${ruleset}`, "--fail-severity=error", path],
};
// Neither says anything to its maker while it runs here.
const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
for (const [name, args] of Object.entries(linters)) {
  const { status, stdout, stderr } = spawnSync(join(here, "node_modules/.bin", name), args, {
    encoding: "utf8",
    env,
  });
  console.log(`${status === 0 ? "✓" : "✗"} ${name}\n${stdout}${stderr}`);
  if (status !== 0) process.exitCode = 1;
}
rmSync(folder, { recursive: true });
