import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/**
 * Lets a bundle ask Node for what it uses of Node's own modules when it uses it, instead of importing them. An import
 * loads the module, and looks at every property of it, some of which load a dozen others: that was half of what
 * `--help` took.
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
    // A library in CommonJS, which takes the module as it is.
    build.onResolve({ filter: /^[a-z]+$/ }, ({ path, kind }) =>
      kind === "require-call" && isBuiltin(path) ? { path, namespace: "required" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule("node:${path}");`,
    }));
    build.onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "export default {};" }));
    build.onLoad({ filter: /.*/, namespace: "builtin" }, async ({ path: one }) => {
      const [path = ""] = one.split(" ");
      return { contents: printBuiltin(path, await import(path)) };
    });
  },
};

/** A module like one of Node's. What nobody uses of it is left out of the bundle, for all of it is pure. */
function printBuiltin(path: string, exports: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(exports).filter((name) => name !== "default");
  const lines = names.map((name) => {
    const pick = typeof exports[name] === "function" ? "later" : "now";
    return `const _${name} = /* @__PURE__ */ ${pick}("${name}");\nexport { _${name} as ${name} };`;
  });
  return `const load = () => process.getBuiltinModule("${path}");
    const now = (name) => load()[name];
    const later = (name) => new Proxy(function () {}, {
      apply: (_, self, args) => Reflect.apply(now(name), self, args),
      construct: (_, args, target) => Reflect.construct(now(name), args, target),
      get: (_, key) => now(name)[key],
    });
    export default /* @__PURE__ */ load();
    ${lines.join("\n")}`;
}

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

/** Leaves an import as it is, of a file that is built by itself. */
export const besideIt = (source: string, built: string): Plugin => ({
  name: "beside-it",
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ path }) =>
      path === source ? { path: built, external: true } : undefined,
    );
  },
});

/** Leaves one source file out of a bundle, which imports it by its public name: so its classes are there once. */
export const byName = (file: string, name: string): Plugin => ({
  name: "by-name",
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ path, resolveDir }) =>
      join(resolveDir, path) === file ? { path: name, external: true } : undefined,
    );
  },
});

/** Definitions that put what injected files export in the place of global names, however these are written. */
export const inPlaceOf = (globals: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(globals).flatMap(([name, ours]) => [
      [name, ours],
      [`globalThis.${name}`, ours],
    ]),
  );

interface Metafile {
  outputs: Record<
    string,
    { entryPoint?: string; inputs: Record<string, unknown>; imports: { path: string; kind: string }[] }
  >;
}

/**
 * Looks at what stands in the files that are read before anything is done, by the metafile of the build.
 * @throws {Error} naming the packages, beside those allowed, of which something is in them.
 */
export function checkStart(outDir: string, first: string, allowed: readonly string[]): void {
  const { outputs } = JSON.parse(readFileSync(join(outDir, "metafile-esm.json"), "utf8")) as Metafile;
  const read = new Set(Object.keys(outputs).filter((path) => outputs[path]?.entryPoint?.endsWith(first)));
  const packages = new Set<string>();
  for (const path of read) {
    const { inputs = {}, imports = [] } = outputs[path] ?? {};
    for (const { path, kind } of imports) if (kind === "import-statement") read.add(path);
    for (const input of Object.keys(inputs)) {
      const name = /^[^:]*(?:node_modules|packages)\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1];
      if (name !== undefined && !allowed.includes(name)) packages.add(name);
    }
  }
  if (read.size === 0 || packages.size > 0)
    throw new Error(`Before anything is done, ${first} loads ${[...packages].join(", ") || "nothing"}.`);
}
