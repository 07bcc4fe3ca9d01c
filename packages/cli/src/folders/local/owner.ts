import type { Context } from "../../settings/context.ts";

/** Whose a prompt will be, where a login tells; a token of the environment does not say whose it is. */
export async function ownerOf({
  destination,
  config,
}: Pick<Context, "destination" | "config">): Promise<string | undefined> {
  const { profile, source } = await destination();
  if (profile === undefined || source !== `profile ${profile}`) return undefined;
  return (await config()).profiles[profile]?.handle;
}
