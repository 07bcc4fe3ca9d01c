// How each runtime is started, and told to check the statements.
import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Feature, Result, World } from "./inside/check.ts";
import { checkInChromium, chromiumVersion } from "./chromium.ts";
import { checkInWorkerd } from "./workerd.ts";

export interface Runtime {
  /** With its version. */
  name: string;
  lacks: Feature[];
  /** @param folder holds what is in `inside`, and the packages that it imports. */
  check: (world: World, folder: string) => Promise<Result[]>;
}

const modules = join(import.meta.dirname, "node_modules");
const deno = join(modules, ".bin/deno");
const workerd = join(modules, ".bin/workerd");
const versionOf = (program: string) =>
  /\d[\w.-]+/.exec(execFileSync(program, ["--version"], { encoding: "utf8" }))?.[0];

const program = (path: string, args: (folder: string) => string[] = () => []) => ({
  async check(world: World, folder: string): Promise<Result[]> {
    const given = [
      ...args(folder),
      join(folder, "main.ts"),
      JSON.stringify(world),
      join(folder, "disk", world.slug),
    ];
    const { stdout } = await promisify(execFile)(path, given, {
      cwd: folder,
      env: { HOME: folder, PROMPTREG_URL: world.baseUrl, PROMPTREG_TOKEN: world.token },
    });
    return JSON.parse(stdout);
  },
});

const node = (path: string): Runtime => ({ name: `Node ${versionOf(path)}`, lacks: [], ...program(path) });

/** With no more than it needs. */
const permitted = (...more: string[]) =>
  program(deno, (folder) => {
    const disk = join(folder, "disk");
    return ["run", "--no-prompt", "--allow-net", `--allow-read=${disk}`, `--allow-write=${disk}`, ...more];
  });

export const runtimes: Runtime[] = [
  node(join(modules, "node-22/bin/node")),
  // The one that the tests run on.
  node(process.execPath),
  node(join(modules, "node-26/bin/node")),
  { name: `Deno ${versionOf(deno)}`, lacks: [], ...permitted("--allow-env=PROMPTREG_URL,PROMPTREG_TOKEN") },
  { name: `Deno ${versionOf(deno)}, without --allow-env`, lacks: ["environment"], ...permitted() },
  { name: `Bun ${versionOf(join(modules, ".bin/bun"))}`, lacks: [], ...program(join(modules, ".bin/bun")) },
  // A request whose body is a stream needs HTTP/2 there.
  { name: `Chromium ${await chromiumVersion()}`, lacks: ["environment", "upload"], check: checkInChromium },
  { name: `workerd ${versionOf(workerd)}`, lacks: [], check: checkInWorkerd(workerd, []) },
  {
    name: `workerd ${versionOf(workerd)}, no_nodejs_compat`,
    lacks: ["environment"],
    check: checkInWorkerd(workerd, ["no_nodejs_compat"]),
  },
];
