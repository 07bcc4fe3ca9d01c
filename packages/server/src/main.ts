#!/usr/bin/env node
// Before anything is loaded: an older Node would fail while loading, with an unclear error.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 18)) {
  // Nor does an older Node know `await` here.
  void import("./program.ts")
    .then(({ run }) => run(process.argv.slice(2)))
    .then((exitCode) => {
      process.exitCode = exitCode;
    });
} else {
  process.stderr.write(
    `promptreg-server: Node 22.18 or newer is needed, and this is ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
}
