import { cell } from "../terminal/text.ts";
import type { Me } from "@promptreg/client";
import { ApiError } from "@promptreg/core/errors";
import { changeConfig, type Config, configFile } from "../settings/config-file.ts";
import type { Context } from "../settings/context.ts";
import { advise, UsageError } from "../errors.ts";
import { grantOf } from "./grant.ts";
import { defaultUrl, nameOf, originOf } from "../settings/profiles.ts";
import { readInput } from "../terminal/read-input.ts";

export async function login(context: Context, argument: string | undefined): Promise<void> {
  if (argument !== undefined) {
    throw new UsageError(
      "Do not write a token on the command line: other users can read it, and the shell stores it. Run `promptreg login` and paste it, or pipe it in: promptreg login < token.txt.",
    );
  }
  const { connect, confirm, env, output } = context;
  const config = await context.config();
  const { url, named } = whereTo(context, config);
  const file = configFile(env);
  output.note(
    `The token will be stored in ${file}: as plain text, readable only by your user on this machine.`,
  );
  const token = await readToken(context, url);
  const client = await connect({ url, token, source: "this login" });
  const me = await client.users.me.get().catch((error: unknown) => {
    const isRefused = error instanceof ApiError && error.code === "invalid_token";
    throw isRefused ? advise(error, "Nothing was stored. Copy the token again, or create a new one.") : error;
  });
  const { handle } = me;
  const name = named ?? nameFor(config, { url, handle });
  const there = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  const isAnother = originOf(there?.url ?? url) !== originOf(url) || (there?.handle ?? handle) !== handle;
  if (there && isAnother) {
    const existing = [there.handle, there.url].filter(Boolean).join(" at ");
    await confirm(`The profile ${name} is ${cell(existing)}. Replace it with ${cell(handle)} at ${url}?`);
  }
  await changeConfig(env, ({ profiles }) => ({
    current: name,
    profiles: { ...profiles, [name]: { url, token, handle } },
  }));
  reportLogin(context, { name, url, file, me });
  noteOverrides(context, name);
}

const profileName = /^[A-Za-z0-9][A-Za-z0-9.:@_-]{0,99}$/;

/** The profile that was named, and the server: that of the profile, unless another one was said. */
function whereTo({ choice, env }: Context, config: Config): { url: string; named: string | undefined } {
  const named = choice.profile ?? (env["PROMPTREG_PROFILE"] || undefined);
  if (named !== undefined && !profileName.test(named))
    throw new UsageError("A profile name has letters, digits and -_.:@, such as work.");
  const urlOf = (name = "") =>
    Object.hasOwn(config.profiles, name) ? config.profiles[name]?.url : undefined;
  const [inForce] = nameOf(env, choice, config);
  const url =
    choice.url ??
    urlOf(choice.profile) ??
    (env["PROMPTREG_URL"] || undefined) ??
    urlOf(inForce) ??
    defaultUrl;
  return { url: url.replace(/(?<!\/)\/+$/, ""), named };
}

async function readToken({ ask, stdin }: Context, url: string): Promise<string> {
  if (ask === undefined && stdin.isTTY)
    throw new UsageError("There is no terminal to ask on. Pipe the token in: promptreg login < token.txt.");
  const text = ask === undefined ? await readInput("-", stdin) : await ask.secret(`Token for ${url}`);
  if (text.trim() === "") throw new UsageError("No token was given. Nothing was stored.");
  return text.trim();
}

/** The profile of that account at that server, else a new one under its handle, with the server where that is taken. */
function nameFor({ current, profiles }: Config, { url, handle }: { url: string; handle: string }): string {
  const isSameServer = (name: string) => {
    const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    return profile?.handle === handle && originOf(profile.url) === originOf(url);
  };
  const own = [current ?? "", ...Object.keys(profiles)].find(isSameServer);
  if (own !== undefined) return own;
  return Object.hasOwn(profiles, handle) ? `${handle}@${new URL(url).host}` : handle;
}

interface LoggedIn {
  name: string;
  url: string;
  file: string;
  me: Me;
}

function reportLogin({ output }: Context, { name, url, file, me: { handle, token } }: LoggedIn): void {
  const { name: tokenName, scopes, role, expiresAt } = token;
  output.result(
    { profile: name, server: url, handle, token: { name: tokenName, scopes, role, expiresAt }, file },
    () =>
      [
        `${output.colors.green("Logged in")} to ${url} as ${output.colors.bold(cell(handle))}: profile ${name}`,
        `token "${cell(tokenName)}": ${grantOf({ handle, token })}`,
      ].join("\n"),
  );
}

function noteOverrides({ env, output }: Context, name: string): void {
  if (env["PROMPTREG_TOKEN"]) output.note("The variable PROMPTREG_TOKEN is set and overrides this login.");
  if (env["PROMPTREG_PROFILE"] && env["PROMPTREG_PROFILE"] !== name)
    output.note("The variable PROMPTREG_PROFILE is set and names another profile.");
}
