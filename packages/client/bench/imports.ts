import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "tsup";

/**
 * How long it takes to import the client, as it is published, against ky alone: as installed, and in one file each as
 * bundlers make them. Every import has a process of its own.
 */
export async function compareImports(): Promise<Compared[]> {
  // Where the client and its own ky are found.
  const folder = await mkdtemp(join(import.meta.dirname, "../node_modules/.imports-"));
  try {
    await writeFile(join(folder, "ky.mjs"), 'export { default } from "ky";');
    await writeFile(join(folder, "client.mjs"), 'export { createClient } from "@promptreg/client";');
    await build({
      config: false,
      silent: true,
      entry: [join(folder, "ky.mjs"), join(folder, "client.mjs")],
      outDir: join(folder, "bundled"),
      outExtension: () => ({ js: ".mjs" }),
      format: "esm",
      platform: "browser",
      target: "es2023",
      minify: true,
      // Each alone: what they share would be a file of its own.
      splitting: false,
      noExternal: [/.*/],
    });
    return [
      compareFiles("import as installed", folder),
      compareFiles("import in a bundle", join(folder, "bundled")),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What one import took, as a multiple of the other. */
interface Compared {
  name: string;
  times: number;
}

function compareFiles(name: string, folder: string): Compared {
  const rounds = Array.from({ length: 41 }, () => ({
    ky: timeOfImport(join(folder, "ky.mjs")),
    client: timeOfImport(join(folder, "client.mjs")),
  }));
  const ky = median(rounds.map((round) => round.ky));
  const client = median(rounds.map((round) => round.client));
  console.log(`${name.padEnd(24)} ky ${ky.toFixed(1)} ms   client ${client.toFixed(1)} ms`);
  return { name, times: median(rounds.map((round) => round.client / round.ky)) };
}

/** In milliseconds, without the start of Node. */
function timeOfImport(file: string): number {
  const program = `const start = performance.now();
    await import(${JSON.stringify(pathToFileURL(file).href)});
    console.log(performance.now() - start);`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return Number(stdout);
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
