import { join } from "node:path";
import { defineConfig, type Options } from "tsup";
import { besideIt, byName, checkStart, inPlaceOf, lazyBuiltins, oneFileFor } from "./scripts/lean-bundle.ts";
import { writeLicenses } from "./scripts/licenses.ts";

// Sources import each other's sources, so that the packages can be built in any order, at once.
const shared: Options = {
  format: "esm",
  splitting: true,
  silent: true,
  esbuildOptions(options) {
    options.conditions = ["@promptreg/source"];
  },
};

/** For a bundle: half of what would be read are comments. Names stay, for stack traces. */
const leanly: NonNullable<Options["esbuildOptions"]> = (options, context) => {
  shared.esbuildOptions?.(options, context);
  options.minifyWhitespace = true;
  options.minifySyntax = true;
  options.legalComments = "none";
};

const inCli = (file: string) => join(import.meta.dirname, "packages/cli/src", file);

const core: Options = {
  ...shared,
  entry: [
    "index",
    "account/index",
    "archives/index",
    "content/index",
    "contract",
    "catalogue/errors",
    "evals/index",
    "formats/index",
    "imports/index",
    "models/index",
    "language/refs",
    "rows/index",
    "search/index",
    "secrets",
    "suggestions/index",
    "summaries",
    "template/index",
    "testing/index",
    "webhooks/index",
    "webhooks/node",
    "wire/index",
  ].map((name) => `packages/core/src/${name}.ts`),
  outDir: "packages/core/dist",
  // Deno and workers know Node's modules by nothing but their full names.
  removeNodeProtocol: false,
  target: "es2023",
  platform: "neutral",
  skipNodeModulesBundle: true,
  esbuildOptions(options, context) {
    shared.esbuildOptions?.(options, context);
    // Runtimes ask for the type of the JSON that holds SPDX's lists; the target would drop it.
    options.supported = { "import-attributes": true };
  },
};

const client: Options = {
  ...shared,
  entry: [
    "index",
    "disk",
    "routes",
    "template",
    "validate",
    "adapters/ai",
    "adapters/anthropic",
    "adapters/langchain",
    "adapters/openai",
  ].map((name) => `packages/client/src/${name}.ts`),
  outDir: "packages/client/dist",
  removeNodeProtocol: false,
  target: "es2023",
  platform: "neutral",
  skipNodeModulesBundle: true,
};

/**
 * For tests alone: one file that needs nothing but itself is there soonest, whatever else is installed. What it throws
 * is of the class that the client knows.
 */
const testing: Options = {
  ...shared,
  entry: ["packages/client/src/testing/index.ts"],
  outDir: "packages/client/dist/testing",
  target: "es2023",
  platform: "neutral",
  external: ["@promptreg/core/errors"],
  noExternal: [/^(?!@promptreg\/core\/errors$)/],
  splitting: false,
  esbuildPlugins: [
    byName(join(import.meta.dirname, "packages/core/src/catalogue/errors.ts"), "@promptreg/core/errors"),
  ],
  esbuildOptions: leanly,
};

/** The same for `require` where it cannot load a module, as in Jest; ky is nothing but a module, so it comes along. */
const asCommonJs = (options: Options): Options => ({
  ...options,
  format: "cjs",
  skipNodeModulesBundle: false,
  noExternal: ["ky"],
  external: [/^@?[a-z].*/],
});

export default defineConfig([
  core,
  asCommonJs(core),
  client,
  asCommonJs(client),
  { ...testing, metafile: true, onSuccess: async () => writeLicenses("packages/client/dist/testing") },
  { ...testing, format: "cjs" },
  {
    ...shared,
    entry: [
      "main",
      "index",
      "testing/index",
      "testing/guard",
      "groups/imports/detection/child",
      "kernel/markdown/thread",
      "groups/media/processing/child",
    ].map((name) => `packages/server/src/${name}.ts`),
    outDir: "packages/server/dist",
    target: "node22",
    platform: "node",
    skipNodeModulesBundle: true,
  },
  {
    // The command line carries its dependencies along: one file to load is quicker than two hundred. The
    // neutral platform picks the ESM build of each, which esbuild can shake; Node's own modules stay outside.
    ...shared,
    entry: ["packages/cli/src/start.ts"],
    outDir: "packages/cli/dist",
    target: "node22",
    platform: "neutral",
    noExternal: [/.*/],
    removeNodeProtocol: false,
    esbuildPlugins: [lazyBuiltins, oneFileFor(inCli("start.ts"))],
    esbuildOptions(options, context) {
      // Node's fetch and its classes take longer to load than Node itself and all of a command.
      options.inject = [inCli("http/fetch.ts"), inCli("http/web.ts")];
      options.define = inPlaceOf({
        fetch: "leanFetch",
        Headers: "LeanHeaders",
        Request: "LeanRequest",
        Response: "LeanResponse",
        FormData: "LeanFormData",
      });
      leanly(options, context);
    },
    metafile: true,
    onSuccess: async () => {
      checkStart("packages/cli/dist", "cli/src/start.ts", ["cli", "core", "commander"]);
      writeLicenses("packages/cli/dist");
    },
  },
  {
    // What a Node that is too old must be able to read, to say so: by itself, in the language of then.
    ...shared,
    entry: ["packages/cli/src/main.ts"],
    outDir: "packages/cli/dist",
    target: "node12.22",
    platform: "node",
    splitting: false,
    removeNodeProtocol: false,
    esbuildPlugins: [besideIt("./start.ts", "./start.js")],
    esbuildOptions: leanly,
  },
]);
