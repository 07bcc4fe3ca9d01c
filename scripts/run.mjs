// Runs a task of this repository: `node scripts/run.mjs <task> [arguments]`, which is what the root's npm
// scripts call. Any Node from 18 on will do to start it: it installs and builds what is missing, then hands
// over to the Node that the lockfile pins.
import { spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { isatty } from "node:tty";
import { build, buildForRelease, generate, install, node, root } from "./prepare.mjs";

/** @type {Record<string, { prepare?: () => void, args?: string[] }>} */
const tasks = {
  start: { prepare: build, args: ["packages/server/dist/main.js", "serve"] },
  server: { prepare: build, args: ["packages/server/dist/main.js"] },
  cli: { prepare: build, args: ["packages/cli/dist/main.js"] },
  demo: { prepare: build, args: ["scripts/demo.ts"] },
  test: {
    prepare: build,
    args: ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.workspace.ts"],
  },
  bench: { prepare: build, args: ["scripts/bench.ts"] },
  prove: { prepare: build, args: ["scripts/prove.ts"] },
  check: { prepare: generate, args: ["scripts/check.ts"] },
  format: { args: ["node_modules/@biomejs/biome/bin/biome", "format", "--write"] },
  generate: { prepare: generate },
  build: { prepare: buildForRelease },
  pack: { prepare: buildForRelease, args: ["scripts/pack.ts"] },
};

const [name = "", ...words] = process.argv.slice(2);
// What is named runs whole. All at once is what people wait for: it leaves out the tests that take long.
const rest = name === "test" && words.length === 0 ? ["--tags-filter=!long"] : words;
const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
if (!task) {
  console.error(`Unknown task "${name}". Valid tasks: ${Object.keys(tasks).join(", ")}.`);
  process.exit(1);
}

install();
// For whatever the task starts by the name of `node`.
process.env.PATH = `${dirname(node)}${delimiter}${process.env.PATH}`;
task.prepare?.();
if (task.args) run([...task.args, ...rest]);

/**
 * Hands over to the pinned Node, stays until it has ended, and ends in the same way.
 * @param {string[]} args
 */
function run(args) {
  const child = spawn(node, args, { cwd: root, stdio: "inherit" });

  // Ctrl-C reaches the child by itself, being in the terminal's foreground group as we are. Passed on once
  // more it would look like a second, impatient one.
  const hasTerminal = [0, 1, 2].some((fd) => isatty(fd));
  process.on("SIGINT", () => hasTerminal || child.kill("SIGINT"));
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGHUP"));

  // npm gives a SIGTERM to the shell between us, which dies of it without a word to anyone.
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      child.kill("SIGTERM");
    }, 250);
  }

  child.on("exit", (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
