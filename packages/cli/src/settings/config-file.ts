import type { Io } from "../terminal/io.ts";
import { randomUUID } from "node:crypto";
import { chmod, open, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { withLock } from "../disk/lock.ts";
import { makeFolders } from "../disk/places.ts";
import { faultOf, InputError } from "../errors.ts";
import { quoted } from "../terminal/text.ts";

/** A server, and whose token is used there. */
export interface Profile {
  url: string;
  token: string;
  /** Whose token it was when it was kept. */
  handle?: string;
}

/** What `promptreg login` keeps. */
export interface Config {
  /** The profile that is used where none is named. */
  current?: string;
  profiles: Record<string, Profile>;
}

/** The file of the profiles: in `$XDG_CONFIG_HOME`, `%APPDATA%` or `~/.config`, below `promptreg`. */
export function configFile({ XDG_CONFIG_HOME, APPDATA }: Io["env"]): string {
  const place = XDG_CONFIG_HOME || (process.platform === "win32" && APPDATA) || join(homedir(), ".config");
  return join(place, "promptreg", "config.json");
}

/** Reads the profiles; `warn` is told when others on this machine can read them too. */
export async function readConfig(env: Io["env"], warn: (text: string) => void = () => {}): Promise<Config> {
  const file = configFile(env);
  const text = await readText(file, warn).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return `{ "profiles": {} }`;
    throw new InputError(`${file} cannot be read: ${faultOf(error)}.`);
  });
  try {
    const { current, profiles } = JSON.parse(text) as Partial<Config>;
    return { ...(current !== undefined && { current }), profiles: { ...profiles } };
  } catch {
    throw new InputError(`${file} is not valid JSON. Fix it, or delete it and log in again.`);
  }
}

async function readText(file: string, warn: (text: string) => void): Promise<string> {
  await using handle = await open(file);
  const { mode } = await handle.stat();
  // Windows has no such bits.
  if (process.platform !== "win32" && (mode & 0o077) !== 0)
    warn(`Other users of this machine can read the tokens in ${file}. Run: chmod 600 ${quoted(file)}`);
  // Without the mark with which some editors begin a file.
  return new TextDecoder().decode(await handle.readFile());
}

/** Changes the profiles. Of several that do at once, each works on what the one before it wrote. */
export async function changeConfig(env: Io["env"], change: (config: Config) => Config): Promise<Config> {
  const file = configFile(env);
  await makeFolders(dirname(file), 0o700).catch((error: Error) => {
    throw new InputError(`${dirname(file)} cannot be created: ${faultOf(error)}.`);
  });
  return withLock(file, "profiles", async () => {
    const config = change(await readConfig(env));
    await writeConfig(file, config);
    return config;
  });
}

/** Writes the profiles for their owner's eyes only; whoever reads meanwhile sees the old file or the new one. */
async function writeConfig(file: string, config: Config): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, file);
    await chmod(file, 0o600);
  } finally {
    await rm(draft, { force: true });
  }
}
