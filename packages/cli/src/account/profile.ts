import { cell } from "../terminal/text.ts";
import { changeConfig } from "../settings/config-file.ts";
import type { Context } from "../settings/context.ts";
import { nameOf, profileNamed } from "../settings/profiles.ts";

export async function listProfiles({ choice, config, env, output }: Context): Promise<void> {
  const kept = await config();
  const [inForce] = nameOf(env, choice, kept);
  const items = Object.entries(kept.profiles).map(([name, { url, handle = null }]) => ({
    name,
    handle,
    server: url,
    isCurrent: name === inForce,
  }));
  if (items.length === 0) output.note("There are no profiles. `promptreg login` creates one.");
  const { bold, green } = output.colors;
  const rows = items.map(({ name, handle, server, isCurrent }) => [
    isCurrent ? bold(cell(name)) : cell(name),
    cell(handle ?? ""),
    cell(server),
    isCurrent ? green("current") : "",
  ]);
  output.result({ items }, () => output.table(["profile", "account", "server", ""], rows));
}

export async function useProfile({ config, env, output }: Context, name: string): Promise<void> {
  const { url, handle = null } = profileNamed(await config(), name);
  await changeConfig(env, (kept) => {
    // It may be gone since.
    profileNamed(kept, name);
    return { ...kept, current: name };
  });
  output.result(
    { profile: name, handle, server: url },
    () => `${output.colors.bold(cell(name))} is the current profile: ${cell(url)}`,
  );
  for (const variable of ["PROMPTREG_PROFILE", "PROMPTREG_TOKEN", "PROMPTREG_URL"])
    if (env[variable]) output.note(`The variable ${variable} is set and overrides it.`);
}
