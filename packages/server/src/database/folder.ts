import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSetupError } from "./connection.ts";

/** @throws {DatabaseSetupError} that names the folder and the setting. */
export function makeDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DatabaseSetupError(
      `The data folder ${dataDir} cannot be made (${code}). Set PROMPTREG_DATA_DIR to another.`,
    );
  }
}

/** Makes a folder and those above it, readable to its owner alone. Node's own way never ends below `/proc`. */
export function makeFolder(folder: string): void {
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
