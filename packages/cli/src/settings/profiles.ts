import type { Io } from "../terminal/io.ts";
import { UsageError } from "../errors.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import type { Config, Profile } from "./config-file.ts";

/** How a server is chosen on the command line. */
export interface Choice {
  url?: string;
  profile?: string;
}

/** Where a command goes, and as whom. */
export interface Destination {
  url: string;
  /** Where that comes from, for people: `--url`, `PROMPTREG_URL`, `profile work`, or `default`. */
  urlSource: string;
  /** The profile in force; its token is not used at another server than its own. */
  profile: string | undefined;
  /** Where that comes from: `--profile`, `PROMPTREG_PROFILE`, or `current`. */
  profileSource: string | undefined;
  token: string | undefined;
  /** Where the token comes from, for people: `PROMPTREG_TOKEN`, `profile work`, or nothing. */
  source: string | undefined;
}

export const defaultUrl = "http://127.0.0.1:8787";

/** The first that is there, of values each with where it comes from. */
const firstOf = (...found: readonly (readonly [value: string | undefined, source: string])[]) =>
  found.find(([value]) => value !== undefined) ?? ([undefined, undefined] as const);

/** The name of the profile in force, and where it comes from. */
export const nameOf = (env: Io["env"], { profile }: Choice, { current }: Config) =>
  firstOf(
    [profile, "--profile"],
    [env["PROMPTREG_PROFILE"] || undefined, "PROMPTREG_PROFILE"],
    [current, "current"],
  );

/** @throws {UsageError} that names those that there are. */
export function profileNamed({ profiles }: Config, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const known = Object.keys(profiles);
  throw new UsageError(
    `Unknown profile ${name}. Profiles: ${known.join(", ") || "none"}.${didYouMean(name, known)}`,
  );
}

/**
 * What was said on the command line goes before the environment, and that before the profile. The token of a profile
 * never goes to another server than its own.
 */
export function destinationOf(env: Io["env"], choice: Choice, config: Config): Destination {
  const [name, profileSource] = nameOf(env, choice, config);
  const isGone = profileSource === "current" && !Object.hasOwn(config.profiles, name ?? "");
  const profile = name === undefined || isGone ? undefined : profileNamed(config, name);
  // A profile that was named is meant as a whole.
  const { PROMPTREG_URL, PROMPTREG_TOKEN } = choice.profile === undefined ? env : {};
  const [url = defaultUrl, urlSource = "default"] = firstOf(
    [choice.url, "--url"],
    [PROMPTREG_URL || undefined, "PROMPTREG_URL"],
    [profile?.url, `profile ${name}`],
  );
  const isSameServer = profile !== undefined && originOf(profile.url) === originOf(url);
  const [token, source] = firstOf(
    [PROMPTREG_TOKEN?.trim() || undefined, "PROMPTREG_TOKEN"],
    [isSameServer ? profile.token : undefined, `profile ${name}`],
  );
  return { url, urlSource, profile: profile && name, profileSource: profile && profileSource, token, source };
}

/** What tells servers apart: a token may go wherever this is the same. */
export const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url);
