#!/usr/bin/env node
import { version } from "./version.ts";

// Scripts and installers ask for nothing else again and again: this needs neither the grammar nor a stream.
if (process.argv.length === 3 && process.argv[2] === "--version") {
  process.getBuiltinModule("node:fs").writeSync(1, `${version()}\n`);
} else {
  const { start } = await import("./start.ts");
  await start(process.argv.slice(2));
}
