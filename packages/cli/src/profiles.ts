import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { InputError, UsageError } from "./errors.ts";
import type { Io } from "./output.ts";

/** A server, and whose token is used there. */
export interface Profile {
  url: string;
  token: string;
}

/** What `promptreg login` keeps. */
export interface Config {
  /** The profile that is used where none is named. */
  current?: string;
  profiles: Record<string, Profile>;
}

/** How a server is chosen on the command line. */
export interface Choice {
  url?: string;
  profile?: string;
}

/** Where a command goes, and as whom. */
export interface Destination {
  url: string;
  token: string | undefined;
  /** Where the token comes from, for people: `PROMPTREG_TOKEN`, `profile work`, or nothing. */
  source: string | undefined;
}

export const defaultUrl = "http://127.0.0.1:8787";

/** The file of the profiles: in `$XDG_CONFIG_HOME`, `%APPDATA%` or `~/.config`, below `promptreg`. */
export function configFile({ XDG_CONFIG_HOME, APPDATA }: Io["env"]): string {
  const place = XDG_CONFIG_HOME || (process.platform === "win32" && APPDATA) || join(homedir(), ".config");
  return join(place, "promptreg", "config.json");
}

export async function readConfig(env: Io["env"]): Promise<Config> {
  const file = configFile(env);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return `{ "profiles": {} }`;
    throw new InputError(`${file} cannot be read: ${error.message}.`);
  });
  try {
    const { current, profiles } = JSON.parse(text) as Partial<Config>;
    return { ...(current !== undefined && { current }), profiles: { ...profiles } };
  } catch {
    throw new InputError(`${file} is not valid JSON. Mend it, or remove it and log in again.`);
  }
}

/** Writes the profiles for their owner's eyes only; whoever reads meanwhile sees the old file or the new one. */
export async function writeConfig(env: Io["env"], config: Config): Promise<void> {
  const file = configFile(env);
  const draft = `${file}.${randomUUID()}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, file);
    await chmod(file, 0o600);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * What was said on the command line goes before the environment, and that before the profile. The token of a profile
 * never goes to another server than its own.
 */
export function destinationOf(env: Io["env"], { url, profile: named }: Choice, config: Config): Destination {
  const name = named ?? (env["PROMPTREG_PROFILE"] || config.current);
  const profile =
    name !== undefined && Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  if (profile === undefined && name !== undefined && name !== config.current) {
    const known = Object.keys(config.profiles).join(", ") || "none";
    throw new UsageError(`There is no profile ${name}. There are: ${known}.`);
  }
  const asked = url ?? (named === undefined ? env["PROMPTREG_URL"] || undefined : undefined);
  const destination = asked ?? profile?.url ?? defaultUrl;
  const given = named === undefined ? env["PROMPTREG_TOKEN"]?.trim() : undefined;
  if (given) return { url: destination, token: given, source: "PROMPTREG_TOKEN" };
  const isItsOwn = profile !== undefined && originOf(profile.url) === originOf(destination);
  return {
    url: destination,
    token: isItsOwn ? profile.token : undefined,
    source: isItsOwn ? `profile ${name}` : undefined,
  };
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url);
