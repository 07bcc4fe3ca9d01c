import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "tsup";
import { isShort } from "../../../scripts/short.ts";

/**
 * How long the import of the published client takes, compared with ky alone: as installed, and bundled into one file
 * each. Every import runs in its own process.
 */
export async function compareImports(): Promise<Compared[]> {
  // A folder from which Node resolves the client and the client's own ky.
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
      // Otherwise the code that both share becomes a third file.
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

/** How long one import took, as a multiple of the other. */
interface Compared {
  name: string;
  times: number;
}

function compareFiles(name: string, folder: string): Compared {
  const rounds = Array.from({ length: isShort ? 1 : 41 }, () => ({
    ky: timeOfImport(join(folder, "ky.mjs")),
    client: timeOfImport(join(folder, "client.mjs")),
  }));
  const ky = median(rounds.map((round) => round.ky));
  const client = median(rounds.map((round) => round.client));
  console.log(`${name.padEnd(24)} ky ${ky.toFixed(1)} ms   client ${client.toFixed(1)} ms`);
  return { name, times: median(rounds.map((round) => round.client / round.ky)) };
}

/** In milliseconds, without the start-up of Node. */
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
