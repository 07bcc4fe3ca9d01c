import { existsSync } from "node:fs";
import { join } from "node:path";

export const hooks = {
  /**
   * What is packed leads to no sources, which are for the checkout alone, and has CommonJS beside what was built of it.
   * Node takes the modules for `require` too ("module-sync"), so that there is one copy of each class.
   * @param {{ exports?: Record<string, string | { types?: string, default: string, "@promptreg/source"?: string }> }} manifest
   * @param {string} folder
   */
  beforePacking(manifest, folder) {
    const entries = Object.entries(manifest.exports ?? {}).map(([name, entry]) => {
      if (typeof entry === "string") return [name, entry];
      const { "@promptreg/source": _, ...module } = entry;
      const commonJs = {
        types: module.types?.replace(/ts$/, "cts"),
        default: module.default.replace(/js$/, "cjs"),
      };
      if (!existsSync(join(folder, commonJs.default))) return [name, module];
      return [name, { "module-sync": module, import: module, require: commonJs, default: module.default }];
    });
    return { ...manifest, ...(manifest.exports && { exports: Object.fromEntries(entries) }) };
  },
};
