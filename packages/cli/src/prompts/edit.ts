import { cell } from "../terminal/text.ts";
import {
  metadataFields,
  metadataOf,
  compareMetadata,
  type Declared,
  printMetadataChanges,
  valuesOf,
} from "./metadata.ts";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { UsageError } from "../errors.ts";
import { addressOf, getPrompt } from "./get-prompt.ts";
import { confirmExposure, exposureByChange } from "./exposure.ts";

/** False is what an option says that begins with `--no-`. */
interface Options extends Pick<Declared, "title" | "visibility" | "rating"> {
  summary?: string | false;
  license?: string | false;
  tag?: string[];
  tags: boolean;
}

export async function edit(
  context: Context,
  { owner, slug }: PromptAddress,
  options: Options,
): Promise<void> {
  const declared = declaredBy(options);
  const { connect, output } = context;
  const client = await connect();
  const prompt = await getPrompt(client, { owner, slug });
  const { ours: about } = compareMetadata(declared, metadataOf(prompt), null);
  const isChanged = Object.keys(about).length > 0;
  const files = prompt.version?.files ?? [];
  const opens = await exposureByChange(client, prompt, { visibility: about.visibility?.to, files });
  if (opens !== null) await confirmExposure(context, [{ ref: prompt.ref, opens }]);
  if (isChanged) await client.prompts.update({ ...addressOf(prompt), body: valuesOf(about) });
  const name = output.colors.bold(cell(prompt.ref));
  output.result({ ref: prompt.ref, about }, () =>
    isChanged ? `${name} edited\n${printMetadataChanges(about, output)}` : `${name} has these values already`,
  );
  if (isChanged) output.note(`\`promptreg pull ${prompt.ref}\` updates the manifest of a folder.`);
}

function declaredBy({ title, visibility, rating, summary, license, tag, tags }: Options): Declared {
  const declared: Declared = {
    title,
    visibility,
    rating,
    summary: summary === false ? null : summary,
    license: license === false ? null : license,
    tags: tags ? tag : [],
  };
  if (!tags && tag !== undefined) throw new UsageError("Use --tag or --no-tags, not both.");
  if (metadataFields.every((field) => declared[field] === undefined))
    throw new UsageError("Name what to change, such as --title or --visibility.");
  return declared;
}
