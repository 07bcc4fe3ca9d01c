import type { PromptAddress } from "@promptreg/core/refs";
import type { Visibility } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { lookAt } from "../errors.ts";
import { confirmExposure, exposureOf } from "../prompts/index.ts";
import { tryFolder } from "../disk/runs.ts";
import { unwritable } from "../disk/update-files.ts";
import type { Context } from "../settings/context.ts";
import { cell, quoted } from "../terminal/text.ts";
import { pull } from "./pull.ts";

export async function fork(
  context: Context,
  { owner, slug, ...which }: PromptAddress,
  { slug: name, visibility, into }: { slug?: string; visibility?: Visibility; into?: string },
): Promise<void> {
  const { connect, output } = context;
  const client = await connect();
  const isOpened = visibility !== undefined && visibility !== "private";
  // A token that may not read can fork too.
  const source =
    isOpened || which.label !== undefined ? await getSource(client, { owner, slug, ...which }) : null;
  const opens = source && isOpened && exposureOf({ from: source.visibility, to: visibility }, source.files);
  if (opens) await confirmExposure(context, [{ ref: `your fork of ${source.ref}`, opens }]);
  const versionNumber = source === null ? which.version : source.n;
  if (into !== undefined)
    await tryFolder(into).catch((error: unknown) => {
      throw unwritable(into, error, "Nothing was forked.");
    });
  const body = { slug: name, visibility, versionNumber };
  const made = await lookAt(client.prompts.forks.create({ owner, slug, body }), "promptreg list");
  if (made === undefined) {
    output.result(null, () => `${cell(`${owner}/${slug}`)} is forked`);
    output.note("The token may not read, so the registry does not say where the fork is.");
    return;
  }
  const from = made.forkedFrom && `${made.forkedFrom.ref}@${made.forkedFrom.versionNumber}`;
  const said = `${output.colors.bold(cell(made.ref))} is your ${made.visibility} fork of ${cell(from ?? `${owner}/${slug}`)}`;
  if (into === undefined) {
    output.result(made, () => said);
    output.note(`Write its files into a folder: \`promptreg pull ${made.ref} --into <folder>\`.`);
  } else output.note(said);
  // A fork is as visible as its source. That shows nothing new, so nobody was asked.
  if (visibility === undefined && made.visibility !== "private")
    output.note(
      `Others can read it. To make it private: \`promptreg edit ${made.ref} --visibility private\`.`,
    );
  if (made.license === null && made.owner.handle !== owner)
    output.note(`It has no license: ${owner} reserves all rights. Ask before you publish changes to it.`);
  if (into !== undefined)
    await pull(context, [{ owner: made.owner.handle, slug: made.slug }], { into }).catch((error: Error) => {
      // A second fork is not what anybody wants now.
      const next = `The fork ${made.ref} exists. Write its files with \`promptreg pull ${made.ref} --into ${quoted(into)}\`.`;
      throw Object.assign(error, { message: `${error.message} ${next}` });
    });
}

/** What is to be forked, as far as it matters here. */
async function getSource(client: Client, { owner, slug, ...which }: PromptAddress) {
  const { ref, visibility, version } = await client.prompts.get({ owner, slug, query: which });
  return { ref, visibility, n: version?.n, files: version?.files ?? [] };
}
