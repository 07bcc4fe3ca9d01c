import { cell } from "../terminal/text.ts";
import { configFile } from "../settings/config-file.ts";
import type { Context } from "../settings/context.ts";

/** Less of it is known to whoever sees this than would help them to guess it. */
const hintOf = (token: string) => (token.length < 20 ? "…" : `…${token.slice(-4)}`);

export async function showConfig({ config, destination, env, output }: Context): Promise<void> {
  const { profiles } = await config();
  const { url, urlSource, profile, profileSource, token, source } = await destination();
  const file = configFile(env);
  const inForce = {
    file,
    server: { url, source: urlSource },
    profile: profile === undefined ? null : { name: profile, source: profileSource },
    token: token === undefined ? null : { hint: hintOf(token), source },
  };
  const { dim } = output.colors;
  const from = (text: string, place: string | undefined) => `${cell(text)}  ${dim(`from ${place}`)}`;
  output.result(inForce, () =>
    output.fields([
      ["file", Object.keys(profiles).length === 0 ? `${file}  ${dim("no profiles in it")}` : file],
      ["server", from(url, urlSource)],
      ["profile", profile === undefined ? "none" : from(profile, profileSource)],
      ["token", token === undefined ? "none" : from(hintOf(token), source)],
    ]),
  );
  if (profile !== undefined && token === undefined)
    output.note(
      `The token of ${profile} is for ${profiles[profile]?.url}. It is not sent to another server.`,
    );
}
