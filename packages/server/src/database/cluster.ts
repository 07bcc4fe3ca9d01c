import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { bareEnvironment, type PostgresBinaries } from "./binaries.ts";
import { DatabaseSetupError } from "./connection.ts";
import { makeDataFolder } from "./folder.ts";

/** The files of an embedded PostgreSQL, and its password. */
export interface Cluster {
  /** PostgreSQL's own folder, an absolute path without symbolic links. */
  path: string;
  logPath: string;
  passwordPath: string;
  password: string;
}

/** The user that initdb makes, with all rights, and owner of `postgres`, the one database of the cluster. */
export const clusterUser = "promptreg";

/** Whether a data folder has an embedded PostgreSQL, running or not. */
export const hasCluster = (dataDir: string): boolean =>
  fs.existsSync(join(dataDir, "postgres", "PG_VERSION"));

/**
 * Opens `dataDir`, readable to its owner alone, with the cluster in it; what is missing is created. A crash
 * in the middle and several first starts at once do no harm.
 * @throws {DatabaseSetupError} when folder, major or password do not fit, saying what to do.
 */
export async function openCluster(
  dataDir: string,
  binaries: PostgresBinaries,
  { isThrowaway = false } = {},
): Promise<Cluster> {
  const folder = openFolder(dataDir);
  const path = join(folder, "postgres");
  const passwordPath = join(folder, "postgres-password");
  const versionPath = join(path, "PG_VERSION");
  if (!fs.existsSync(versionPath)) {
    createPassword(passwordPath);
    await createCluster(path, { passwordPath, isThrowaway }, binaries);
  }
  removeDrafts(folder);
  // PostgreSQL insists on it, and a folder copied back from a backup may have lost it.
  fs.chmodSync(path, 0o700);
  const major = Number(fs.readFileSync(versionPath, "utf8"));
  if (major !== binaries.major) {
    throw new DatabaseSetupError(
      `${path} was made by PostgreSQL ${major}, and this is PostgreSQL ${binaries.major}. Export with the ` +
        "release of Promptreg that made it, and import into a new data folder with this one.",
    );
  }
  if (!fs.existsSync(passwordPath)) throw wrongPassword(passwordPath);
  const password = fs.readFileSync(passwordPath, "utf8").trim();
  return { path, logPath: join(folder, "postgres.log"), passwordPath, password };
}

/** The error for a password file that is missing or does not belong to this cluster. */
export function wrongPassword(passwordPath: string): DatabaseSetupError {
  return new DatabaseSetupError(
    `${passwordPath} is missing, or is not the password of this PostgreSQL. Restore the file from a backup.`,
  );
}

function openFolder(dataDir: string): string {
  makeDataFolder(dataDir);
  const folder = fs.realpathSync(dataDir);
  const owner = fs.statSync(folder).uid;
  if (process.geteuid && process.geteuid() !== owner) {
    throw new DatabaseSetupError(
      `The data folder ${folder} belongs to another user (number ${owner}). Run Promptreg as that user, or ` +
        "choose another folder.",
    );
  }
  fs.chmodSync(folder, 0o700);
  return folder;
}

/** Written aside and linked into place: two first starts read the same password, and never half of it. */
function createPassword(path: string): void {
  const draft = `${path}-${randomBytes(6).toString("hex")}`;
  fs.writeFileSync(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
  try {
    fs.linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    fs.rmSync(draft);
  }
}

/** Made aside and renamed into place: a cluster is whole or absent, and of two first starts one wins. */
async function createCluster(
  path: string,
  { passwordPath, isThrowaway }: { passwordPath: string; isThrowaway: boolean },
  binaries: PostgresBinaries,
): Promise<void> {
  const draft = fs.mkdtempSync(`${path}-init-`);
  const [file, args] = binaries.command("initdb", [
    `--pgdata=${draft}`,
    `--username=${clusterUser}`,
    `--pwfile=${passwordPath}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    ...locale(binaries.major),
    "--no-instructions",
    ...(isThrowaway ? throwawayOptions(binaries.major) : []),
  ]);
  try {
    await promisify(execFile)(file, args, { env: bareEnvironment, windowsHide: true });
    fs.renameSync(draft, path);
  } catch (error) {
    if (fs.existsSync(join(path, "PG_VERSION"))) return;
    const reason = (error as { stderr?: string }).stderr?.trim() || (error as Error).message;
    throw new DatabaseSetupError(`PostgreSQL could not create ${path}: ${reason}`);
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/** Ordered by code points, the same everywhere; unlike plain `C` it knows the cases of all letters. */
function locale(major: number): string[] {
  if (major < 17) return ["--locale=C.UTF-8"];
  return ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"];
}

/** For tests: nothing to find damage by, and a password that is quick to check. */
const throwawayOptions = (major: number) => [
  "--no-sync",
  ...(major >= 16 ? ["--set=scram_iterations=1"] : []),
  ...(major >= 18 ? ["--no-data-checksums"] : []),
];

/** Removes the files of killed first starts. One that still runs has already lost the race. */
function removeDrafts(folder: string): void {
  for (const name of fs.readdirSync(folder)) {
    if (name.startsWith("postgres-init-")) fs.rmSync(join(folder, name), { recursive: true, force: true });
  }
}
