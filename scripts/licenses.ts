import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What esbuild leaves behind, as far as it is read here. */
interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

/**
 * Writes the licences of the packages that a bundle carries along beside it, as they ask for, into
 * `THIRD-PARTY-LICENSES.txt`. What the bundle was made of stands in the metafile that the build left, which it removes.
 */
export function writeLicenses(outDir: string): void {
  const metafile = join(outDir, "metafile-esm.json");
  const { outputs } = JSON.parse(readFileSync(metafile, "utf8")) as Metafile;
  rmSync(metafile);
  const folders = new Set<string>();
  for (const [path, { bytesInOutput }] of Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs),
  )) {
    // It was read, and nothing of it is left.
    if (bytesInOutput === 0) continue;
    // What stands behind a colon is no file, but was made by a plugin.
    const folder = /^[^:]*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  const licenses = [...folders].sort().map((folder) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file !== undefined)
      return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
    // Lists of SPDX come without the text, and say whose they are and under what.
    if (!license) throw new Error(`${name} has no licence to ship`);
    return `${name} ${version}\n\n${license}${author ? `, by ${author.name ?? author}` : ""}\n`;
  });
  writeFileSync(join(outDir, "THIRD-PARTY-LICENSES.txt"), licenses.join(`\n${"-".repeat(80)}\n\n`));
}
