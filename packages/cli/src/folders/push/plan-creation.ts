import { join } from "node:path";
import type { Plan, Pushed, Pushing } from "./types.ts";
import { editManifest } from "../local/edit-manifest.ts";
import {
  type Address,
  type Exposure,
  exposureOf,
  metadataFields,
  metadataOf,
  refOf,
} from "../../prompts/index.ts";
import type { LocalPrompt } from "../local/read-prompt.ts";
import { withWarning, recordPush } from "./record.ts";

/** Plans a prompt that the registry does not know yet, with its labels, in one request. */
export function planCreation(pushing: Pushing, local: LocalPrompt, address: Address): Plan {
  const { client, options } = pushing;
  const { message, label: labels = [] } = options;
  const { folder, contentHash, leftBehind, manifest, files, entry } = local;
  const { visibility = "private" } = manifest;
  const pushed: Pushed = {
    folder,
    contentHash,
    leftBehind,
    ref: refOf(address),
    status: "created",
    versionNumber: 1,
    files: files.map(({ path }) => path),
    about: {},
    aboutLeft: {},
    opens: withSource(local, exposureOf({ from: "private", to: visibility }, files)),
    labels,
    labelsLeft: [],
    warnings: entry.warnings,
    variables: namesOf(entry),
    ...(options.dryRun && { diff: null }),
  };
  return {
    pushed,
    sent: [],
    async send() {
      const said = Object.fromEntries(metadataFields.map((field) => [field, manifest[field]]));
      const { kind, title } = manifest;
      const body = { ...said, kind, title, visibility, slug: address.slug, files, message, labels };
      const { id, version, ...made } = await client.prompts.create({ body });
      const { ref } = made;
      const { n = 1, warnings = [], variables = [] } = version ?? {};
      const done = { ...pushed, ref, versionNumber: n, warnings, variables: namesOf({ variables }) };
      const settled = await recordPush(pushing, local, done, { id, about: metadataOf(made) });
      return manifest.prompt.includes("/") ? settled : nameOwner(settled);
    },
  };
}

/** What a push opens, with the file elsewhere that the text is read from: a stranger may have named it. */
export const withSource = (
  { folder, manifest: { source } }: Pick<LocalPrompt, "folder" | "manifest">,
  opens: Exposure | null,
): Exposure | null =>
  opens === null || source === undefined ? opens : { ...opens, source: join(folder, source) };

export const namesOf = ({ variables }: { variables: readonly { name: string }[] }): string[] =>
  variables.map(({ name }) => name);

/** Whoever else pushes from this folder is asked before that makes a copy. */
async function nameOwner(pushed: Pushed): Promise<Pushed> {
  try {
    await editManifest(pushed.folder, { prompt: pushed.ref });
    return { ...pushed, ownerWritten: true };
  } catch (error) {
    return withWarning(pushed, "owner_not_written", error);
  }
}
