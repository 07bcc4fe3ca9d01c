// Brings a checkout to where a task can run: dependencies installed, packages built. Runs on any Node from
// 18 on, before anything is installed, so it uses nothing beyond Node itself.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const isWindows = process.platform === "win32";

/** The root of the checkout, absolute. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The Node that every task runs on: the version that the lockfile pins, whatever the machine has. */
export const node = join(root, "node_modules/node/bin", isWindows ? "node.exe" : "node");

const packages = ["core", "client", "server", "cli"].map((name) => join(root, "packages", name));

const derivedFrom = ["scripts/generate.ts", "examples/receivers", "packages/core/src"].map((path) =>
  join(root, path),
);
const builtFrom = [
  join(root, "tsup.config.ts"),
  ...packages.map((path) => join(path, "src")),
  ...derivedFrom,
];

/** Installs the dependencies, unless those that the lockfile asks for are already there. */
export function install() {
  const stamp = stampOf("installed", fingerprintOfDependencies());
  if (stamp.isCurrent() && existsSync(node)) return;

  stamp.clear();
  // Without a terminal pnpm asks no questions; CI tells it not to refuse on that account.
  const env = { ...process.env, CI: "true" };
  const npx = ["--yes", "pnpm@12", "install", "--frozen-lockfile"];
  step("Installing dependencies", "npx", npx, { env, shell: isWindows });
  stamp.write();
}

/** Writes what is derived from the contract and the examples, unless nothing that it is derived from has changed. */
export function generate() {
  const stamp = stampOf("generated", fingerprintOf(derivedFrom));
  const isThere = ["core", "client", "server"].every((name) =>
    existsSync(join(root, "packages", name, "src/generated")),
  );
  if (stamp.isCurrent() && isThere) return;

  stamp.clear();
  step("Deriving documentation and routes", node, ["scripts/generate.ts"]);
  stamp.write();
}

/** Builds the JavaScript of all packages, unless no source has changed since the last time. */
export function build() {
  generate();
  const stamp = stampOf("built", fingerprintOf(builtFrom));
  if (stamp.isCurrent() && packages.every((path) => existsSync(join(path, "dist")))) return;

  stamp.clear();
  step("Building packages", node, ["node_modules/tsup/dist/cli-default.js"]);
  stamp.write();
}

/** Builds everything that is published, declarations too, from nothing: no file of an older build stays. */
export function buildForRelease() {
  for (const path of packages) rmSync(join(path, "dist"), { recursive: true, force: true });
  build();
  const projects = ["packages/core", "packages/client", "packages/server"];
  step("Writing declarations", node, ["node_modules/typescript/bin/tsc", "-b", ...projects]);
  for (const name of ["core", "client"]) writeCommonJsTypes(join(root, "packages", name, "dist"));
}

/**
 * Puts a `.d.cts` beside each declaration: the same one, for those who come by `require`.
 * @param {string} folder
 */
function writeCommonJsTypes(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const text = readFileSync(join(folder, name), "utf8");
    writeFileSync(
      join(folder, name.replace(/ts$/, "cts")),
      text.replace(/((?:from|import) ?\(?"\.[^"]*)\.ts"/g, '$1.cts"'),
    );
  }
}

/**
 * Runs one preparing command and says in one line on stderr what it was and how long it took. Its output is
 * shown only when it fails, and then the process ends.
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnSyncOptions} [options]
 */
function step(title, command, args, options) {
  process.stderr.write(`${title} … `);
  const startedMs = Date.now();
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    ...options,
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  if (status === 0) {
    console.error(`${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
    return;
  }
  console.error(`failed\n\n${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}`);
  console.error(`${title} failed. Above is what this said: ${[command, ...args].join(" ")}`);
  process.exit(1);
}

/**
 * A note in node_modules that a step was done for inputs with this fingerprint.
 * @param {string} name
 * @param {string} fingerprint
 */
function stampOf(name, fingerprint) {
  const path = join(root, "node_modules/.promptreg", name);
  return {
    isCurrent: () => existsSync(path) && readFileSync(path, "utf8") === fingerprint,
    clear: () => rmSync(path, { force: true }),
    write: () => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, fingerprint);
    },
  };
}

function fingerprintOfDependencies() {
  const manifests = [root, join(root, "examples"), ...packages].map((path) => join(path, "package.json"));
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const path of [join(root, "pnpm-lock.yaml"), join(root, "pnpm-workspace.yaml"), ...manifests]) {
    hash.update(readFileSync(path));
  }
  return hash.digest("hex");
}

/**
 * Names, sizes and times tell as much as contents, and quicker: a deleted or an older file shows too.
 * @param {string[]} paths
 */
function fingerprintOf(paths) {
  const hash = createHash("sha256").update(fingerprintOfDependencies());
  for (const path of paths) {
    for (const line of listing(path)) hash.update(line);
  }
  return hash.digest("hex");
}

/**
 * @param {string} path
 * @returns {Generator<string>}
 */
function* listing(path) {
  // An editor's lock can be a link to nowhere.
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) {
    // What is derived from the others changes with them alone.
    for (const name of readdirSync(path).sort()) if (name !== "generated") yield* listing(join(path, name));
  } else if (stat && !path.endsWith(".test.ts")) {
    yield `${path} ${stat.mtimeMs} ${stat.size}\n`;
  }
}
