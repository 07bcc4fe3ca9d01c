#!/usr/bin/env node
import { version } from "./version.ts";

// Before anything is loaded: an older Node stops in the middle of it, at whatever it lacks first.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`error: Node 22.18 or newer is needed, and this is ${process.versions.node}.\n`);
  process.exitCode = 1;
  // Scripts and installers ask for nothing else again and again: this needs neither the grammar nor a stream.
} else if (process.argv.length === 3 && /^(-v|--version)$/.test(process.argv[2] ?? "")) {
  process.getBuiltinModule("node:fs").writeSync(1, `${version()}\n`);
} else {
  keepCompiled();
  // An older Node does not know `await` here, and would say so instead of what stands above.
  void import("./start.ts").then(({ start }) => start(process.argv.slice(2)));
}

/**
 * Lets Node keep what it compiles, in the user's own folder: in that for all users somebody else could have left code for
 * us to run.
 */
function keepCompiled(): void {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
  const folder = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && `${HOME}/.cache`);
  if (folder) process.getBuiltinModule("node:module").enableCompileCache?.(`${folder}/promptreg`);
}
