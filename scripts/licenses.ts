import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes the licences of the packages that a bundle carries along beside it, as they ask for, into
 * `THIRD-PARTY-LICENSES.txt`. What the bundle was made of stands in the metafile that the build left, which it removes.
 */
export function writeLicenses(outDir: string): void {
  const metafile = join(outDir, "metafile-esm.json");
  const { inputs } = JSON.parse(readFileSync(metafile, "utf8")) as { inputs: Record<string, unknown> };
  rmSync(metafile);
  const folders = new Set<string>();
  for (const path of Object.keys(inputs)) {
    // What stands behind a colon is no file, but was made by a plugin.
    const folder = /^[^:]*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  const licenses = [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence to ship`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  writeFileSync(join(outDir, "THIRD-PARTY-LICENSES.txt"), licenses.join(`\n${"-".repeat(80)}\n\n`));
}
