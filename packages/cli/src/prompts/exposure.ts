import type { Style } from "../terminal/style.ts";
import { cell, countOf } from "../terminal/text.ts";
import { isWider } from "./metadata.ts";
import type { Prompt, Visibility } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { addressOf } from "./get-prompt.ts";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";

/** What others become able to read. */
export interface Exposure {
  visibility: "unlisted" | "public";
  /** It is that already, and the manifest says less. */
  isOpen?: true;
  /** All files of the newest version. */
  files: string[];
  /** The file of another tool that the entry is made of. */
  source?: string;
  /** How many versions before it become readable too. */
  olderVersions: number;
}

/** A prompt that becomes readable to others. */
export interface ExposedPrompt {
  ref: string;
  opens: Exposure;
}

/** What a change from one visibility to another opens; null where it opens nothing. */
export function exposureOf(
  { from, to }: { from: Visibility; to: Visibility },
  files: readonly { path: string }[],
): Exposure | null {
  if (to === "private" || !isWider(to, from)) return null;
  return { visibility: to, files: files.map(({ path }) => path), olderVersions: 0 };
}

/** Who sees a prompt: a draft is its owner's alone, whatever is said of it. */
const seenBy = ({ status, visibility }: Pick<Prompt, "status" | "visibility">): Visibility =>
  status === "draft" ? "private" : visibility;

/**
 * What a change of a prompt opens: another visibility, or a version, which publishes a draft, or goes to a prompt that
 * somebody opened further than is `declared`. The files are those of the newest version, of which there is none yet where
 * it `commits`.
 */
export async function exposureByChange(
  client: Client,
  prompt: Pick<Prompt, "owner" | "slug" | "status" | "visibility">,
  {
    visibility = prompt.visibility,
    declared = visibility,
    files,
    commits = false,
  }: {
    visibility: Visibility | undefined;
    declared?: Visibility | undefined;
    files: readonly { path: string }[];
    commits?: boolean;
  },
): Promise<Exposure | null> {
  const isOpen = commits && visibility === prompt.visibility && prompt.status !== "draft";
  const open = isOpen ? exposureOf({ from: declared, to: visibility }, files) : null;
  if (open !== null) return { ...open, isOpen: true };
  const to = commits ? visibility : seenBy({ ...prompt, visibility });
  const opens = exposureOf({ from: seenBy(prompt), to }, files);
  if (opens === null) return null;
  // Yanked ones count too: they stay readable to whoever has their number.
  const { items } = await client.prompts.versions.list({ ...addressOf(prompt), query: { limit: 1 } });
  const isCounted = !commits && files.length > 0;
  return { ...opens, olderVersions: (items[0]?.n ?? 0) - (isCounted ? 1 : 0) };
}

/** Lists what others can read from then on. */
export const showExposed = (output: Output, opened: readonly ExposedPrompt[]): void =>
  output.draw((brush) => opened.map((one) => printExposure(one, brush)).join("\n"));

/** Lists it, and asks once for all: to publish is a decision. */
export async function confirmExposure(
  { output, confirm }: Pick<Context, "output" | "confirm">,
  opened: readonly ExposedPrompt[],
): Promise<void> {
  showExposed(output, opened);
  const [first] = opened;
  await confirm(
    opened.length === 1 && first
      ? first.opens.isOpen
        ? `Push to ${first.ref}, which is ${first.opens.visibility}?`
        : `Make ${first.ref} ${first.opens.visibility}?`
      : `Make these ${opened.length} prompts readable to others?`,
  );
}

/** Says who can read what from then on. */
export function printExposure({ ref, opens }: ExposedPrompt, { colors: { bold } }: Style): string {
  const { visibility, isOpen, files, source, olderVersions } = opens;
  const whoever = visibility === "public" ? "Everyone" : "Anyone with the address";
  return [
    `${bold(cell(ref))} ${isOpen ? "is" : "becomes"} ${bold(visibility)}${isOpen ? ", but not in its manifest" : ""}. ${whoever} can read:`,
    ...files.map((path) => `  ${cell(path)}`),
    ...(source === undefined ? [] : [`with the text of ${cell(source)}.`]),
    ...(olderVersions === 0 ? [] : [`and ${countOf(olderVersions, "older version")}, in full.`]),
  ].join("\n");
}
