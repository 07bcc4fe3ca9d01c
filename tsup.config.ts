import { join } from "node:path";
import { defineConfig, type Options } from "tsup";
import { checkStart, inPlaceOf, lazyBuiltins, oneFileFor } from "./scripts/lean-bundle.ts";
import { writeLicenses } from "./scripts/licenses.ts";

// Sources import each other's sources, so that the packages can be built in any order, at once.
const shared: Options = {
  format: "esm",
  sourcemap: true,
  splitting: true,
  silent: true,
  esbuildOptions(options) {
    options.conditions = ["@promptreg/source"];
  },
};

const inCli = (file: string) => join(import.meta.dirname, "packages/cli/src", file);

export default defineConfig([
  {
    ...shared,
    entry: ["index", "content", "errors", "refs", "template", "webhooks/index", "webhooks/node"].map(
      (name) => `packages/core/src/${name}.ts`,
    ),
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
  },
  {
    ...shared,
    entry: ["index", "disk", "template", "validate"].map((name) => `packages/client/src/${name}.ts`),
    outDir: "packages/client/dist",
    removeNodeProtocol: false,
    target: "es2023",
    platform: "neutral",
    skipNodeModulesBundle: true,
  },
  {
    ...shared,
    entry: ["main", "index", "testing/index", "testing/guard"].map(
      (name) => `packages/server/src/${name}.ts`,
    ),
    outDir: "packages/server/dist",
    target: "node22",
    platform: "node",
    skipNodeModulesBundle: true,
  },
  {
    // The command line carries its dependencies along: one file to load is quicker than two hundred. The
    // neutral platform picks the ESM build of each, which esbuild can shake; Node's own modules stay outside.
    ...shared,
    entry: ["packages/cli/src/main.ts"],
    outDir: "packages/cli/dist",
    target: "node22",
    platform: "neutral",
    noExternal: [/.*/],
    removeNodeProtocol: false,
    esbuildPlugins: [lazyBuiltins, oneFileFor(inCli("start.ts"))],
    esbuildOptions(options, context) {
      shared.esbuildOptions?.(options, context);
      // Node's fetch and its classes take longer to load than Node itself and all of a command.
      options.inject = [inCli("http/fetch.ts"), inCli("http/web.ts")];
      options.define = inPlaceOf({
        fetch: "leanFetch",
        Headers: "LeanHeaders",
        Request: "LeanRequest",
        Response: "LeanResponse",
      });
      // Half of what would be read are comments. Names stay, for stack traces.
      options.minifyWhitespace = true;
      options.minifySyntax = true;
      options.legalComments = "none";
    },
    metafile: true,
    onSuccess: async () => {
      checkStart("packages/cli/dist", "cli/src/start.ts", ["cli", "core", "commander"]);
      writeLicenses("packages/cli/dist");
    },
  },
]);
