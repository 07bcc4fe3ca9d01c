import { changeConfig } from "../settings/config-file.ts";
import type { Context } from "../settings/context.ts";
import { nameOf, profileNamed } from "../settings/profiles.ts";

export async function logout({ choice, config, env, output }: Context): Promise<void> {
  const before = await config();
  const [name] = nameOf(env, choice, before);
  if (name === undefined) {
    output.result({ profile: null, server: null }, () => "There is no current profile to log out of.");
    return;
  }
  const { url } = profileNamed(before, name);
  const { current, profiles } = await changeConfig(env, ({ current, profiles: { [name]: _, ...left } }) => ({
    ...(current !== undefined && current !== name && { current }),
    profiles: left,
  }));
  output.result({ profile: name, server: url }, () => `Removed the profile ${name} (${url}) and its token`);
  output.note(
    "The token stays valid until it is revoked on the server. Anyone with a copy can use it until then.",
  );
  const others = Object.keys(profiles);
  if (current === undefined && others.length > 0)
    output.note(
      `There is no current profile now. \`promptreg profile use\` selects one: ${others.join(", ")}.`,
    );
  if (env["PROMPTREG_TOKEN"]) output.note("The variable PROMPTREG_TOKEN is set and is still used.");
}
