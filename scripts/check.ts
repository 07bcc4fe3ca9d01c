// Checks everything that can be checked without running it: format, lint, types, and what these cost. Each says in
// one line how it went, and what it has to complain about.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { root } from "./prepare.mjs";

// Biome colours its output for files and pipes too, letter by letter.
const colors = process.stdout.isTTY ? "force" : "off";

const checks: Record<string, string[]> = {
  "format, as `npm run format` writes it": ["@biomejs/biome/bin/biome", "ci", `--colors=${colors}`],
  lint: ["oxlint/bin/oxlint"],
  "types, each package by itself": [
    "typescript/bin/tsc",
    "-b",
    "packages/core",
    "packages/client",
    "packages/server",
    "packages/cli",
  ],
  "types, with tests and scripts": ["typescript/bin/tsc"],
};

async function check(title: string, command: string[], { hasFigures = false } = {}): Promise<boolean> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, command, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: process.stdout.isTTY ? { ...process.env, FORCE_COLOR: "1" } : process.env,
  });
  const [status, output, errors] = await Promise.all([
    new Promise((resolve) => child.on("close", resolve)),
    text(child.stdout),
    text(child.stderr),
  ]);
  const isFine = status === 0;
  const tookS = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${isFine ? "✓" : "✗"} ${title} (${tookS} s)`);
  if (!isFine) console.log(`\n${output}${errors}`);
  else if (hasFigures) console.log(`  ${output.trim()}`);
  return isFine;
}

const results = await Promise.all(
  Object.entries(checks).map(([title, [tool, ...args]]) => check(title, [`node_modules/${tool}`, ...args])),
);
// It reads the declarations that the types of each package have left behind.
const clientTypes = ["--conditions=@promptreg/source", "scripts/client-types.ts"];
results.push(
  await check("the client's types, their documentation and cost", clientTypes, { hasFigures: true }),
);
const failed = results.filter((isFine) => !isFine).length;
if (failed > 0) {
  console.log(`${failed} of ${results.length} checks failed.`);
  process.exitCode = 1;
}
