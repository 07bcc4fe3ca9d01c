import { dirname } from "node:path";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/**
 * Lets a bundle ask Node for what it uses of Node's own modules, instead of importing them. An import makes Node look
 * at every property of the module, and some of those load a dozen others: that was half of what `--help` took.
 */
export const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, importer }) => {
      // Commander can start a program for a command, which none of ours is; it would load sockets and streams.
      const isUnused = path === "node:child_process" && /[\\/]commander[\\/]/.test(importer);
      // One for each file that imports it: what one of them takes out of it is then nothing that the others load.
      return {
        path: `${path} of ${importer}`,
        namespace: isUnused ? "unused" : "builtin",
        sideEffects: false,
      };
    });
    build.onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "export default {};" }));
    build.onLoad({ filter: /.*/, namespace: "builtin" }, async ({ path: one }) => {
      const [path = ""] = one.split(" ");
      const names = Object.keys(await import(path)).filter((name) => name !== "default");
      return {
        contents: [
          `const module = process.getBuiltinModule(${JSON.stringify(path)});`,
          "const pick = (name) => module[name];",
          "export default module;",
          // Those that nobody uses are left out of the bundle.
          ...names.map(
            (name) => `const _${name} = /* @__PURE__ */ pick("${name}");\nexport { _${name} as ${name} };`,
          ),
        ].join("\n"),
      };
    });
  },
};

/**
 * Puts all that `first` imports into one file. Otherwise esbuild makes a file for each set of entries that share
 * something, and each file that Node opens takes its time. So whatever is loaded later imports `first` too, which is
 * there by then.
 */
export const oneFileFor = (first: string): Plugin => ({
  name: "one-file",
  setup(build) {
    build.onResolve({ filter: /.*/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== "dynamic-import" || pluginData === "found") return undefined;
      const found = await build.resolve(path, { kind, resolveDir, pluginData: "found" });
      return found.path === first ? found : { path: found.path, namespace: "later" };
    });
    build.onLoad({ filter: /.*/, namespace: "later" }, ({ path }) => ({
      contents: [`import ${JSON.stringify(first)};`, `export * from ${JSON.stringify(path)};`].join("\n"),
      resolveDir: dirname(path),
    }));
  },
});
