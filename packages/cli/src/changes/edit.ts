import { parseRef, type PromptAddress, type VersionName } from "@promptreg/core/refs";
import { InputError, UsageError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { refOf } from "../prompts/index.ts";
import { cell } from "../terminal/text.ts";
import { type BodyOptions, readBody } from "./body.ts";

export async function edit(
  context: Context,
  { owner, slug }: PromptAddress,
  n: number,
  {
    propose,
    base: baseVersionNumber,
    title,
    ...bodyOptions
  }: { propose?: VersionName; base?: number; title?: string } & BodyOptions,
): Promise<void> {
  const { connect, output } = context;
  const body = await readBody(context, bodyOptions);
  if ([propose, baseVersionNumber, title, body].every((given) => given === undefined))
    throw new UsageError("Give --propose, --base, --title, --body or --body-file.");
  const client = await connect();
  const versionNumber = propose && (await numberOf(propose));
  const edited = await client.changeRequests.update({
    owner,
    slug,
    n,
    body: { versionNumber, baseVersionNumber, title, body },
  });
  const name = output.colors.bold(cell(refOf({ owner, slug })));
  const now = edited && `: version ${edited.source.versionNumber}, ${cell(edited.title)}`;
  output.result(edited ?? null, () => `${name} change request ${n} is changed${now ?? ""}`);

  /** The number of a version of the fork. */
  async function numberOf(name: VersionName): Promise<number> {
    if ("version" in name) return name.version;
    const { source } = await client.changeRequests.get({ owner, slug, n });
    if (source.ref === null) throw new InputError("You cannot read this fork. Give --propose a number.");
    const label = name.label === "latest" ? undefined : name.label;
    const query = { label, view: "version" } as const;
    const { version: found } = await client.prompts.get({ ...parseRef(source.ref), query });
    if (found === null) throw new InputError(`${source.ref} has no version to propose.`);
    return found.n;
  }
}
