import { execFileSync, spawnSync } from "node:child_process";
import { createServer } from "node:net";

export const isRoot = process.getuid?.() === 0;

/** Neither PostgreSQL nor Patroni runs as root. */
export const asUser = (command: string, args: string[]): [string, string[]] =>
  isRoot
    ? ["setpriv", ["--reuid=postgres", "--regid=postgres", "--clear-groups", command, ...args]]
    : [command, args];

export const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** @throws {Error} that names the package that is missing. */
export const requireProgram = (name: string, ofPackage: string) => void say(`command -v ${name}`, ofPackage);

/** Debian's own: one that comes first in the path lacks Debian's packages. */
export const debianPython = "/usr/bin/python3";

/** @throws {Error} that names the package of Python that is missing. */
export const requireModule = (name: string, ofPackage: string) =>
  void say(`${debianPython} -c 'import ${name}'`, ofPackage);

/** The folder of PostgreSQL's programs. @throws {Error} that names the package that is missing. */
export const postgresFolder = () =>
  say('dirname "$(ls /usr/lib/postgresql/*/bin/postgres | tail -n 1)"', "postgresql");

/** Processes that `pgrep` finds. */
export function pidsOf(...args: string[]): string[] {
  const { stdout } = spawnSync("pgrep", args, { encoding: "utf8" });
  return stdout.split("\n").filter((line) => line !== "");
}

function say(script: string, name: string): string {
  try {
    return execFileSync("sh", ["-c", script], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    throw new Error(`This proof needs Debian's package ${name}: apt-get install ${name}`);
  }
}
