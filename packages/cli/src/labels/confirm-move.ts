import type { Style } from "../terminal/style.ts";
import { cell } from "../terminal/text.ts";
import type { Diff, Label, Prompt, Version } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { ApiError } from "@promptreg/core/errors";
import type { Context } from "../settings/context.ts";
import { addressOf, authorsOf, getPrompt } from "../prompts/index.ts";
import { fromNow } from "../terminal/moments.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import type { Output } from "../terminal/output.ts";
import { printDiff } from "../terminal/diff.ts";
import type { Evidences } from "../evals/index.ts";
import { versionAt } from "./version-at.ts";

/** A label and where it is to go. */
export interface LabelChange {
  name: string;
  to: number;
  reason?: string | undefined;
  /** The evals that it was asked to rest on. */
  evidence?: Evidences | undefined;
}

/** What is said of more would not be read before a question; `diff` shows all of it. */
const maxLines = 200;

/** Where a label is; null where there is none. */
export const versionOf = ({ labels }: Prompt, name: string): number | null =>
  Object.hasOwn(labels, name) ? (labels[name] ?? null) : null;

/**
 * Moves a label, once what that changes was shown and the answer was yes. What was shown is what happens: a label that
 * went elsewhere meanwhile stays there.
 */
export async function confirmMove(
  { confirm, output }: Pick<Context, "confirm" | "output">,
  client: Client,
  prompt: Prompt,
  wish: LabelChange,
): Promise<void> {
  const { name, to, evidence } = wish;
  const from = versionOf(prompt, name);
  if (from === to) return reportMove(output, prompt, { name, from, to, status: "unchanged" });
  const { diff, before, after } = await compare(client, prompt, { from, to });
  const authorOf = await authorsOf(client, addressOf(prompt), before ? [before, after] : [after]);
  output.draw((brush) => preview(prompt, { name, diff, before, after, authorOf }, brush));
  const ref = cell(prompt.ref);
  const meant = didYouMean(name, Object.keys(prompt.labels));
  await confirm(
    from === null
      ? `Create the label ${name} of ${ref} at version ${to}?${meant}`
      : `Move ${name} of ${ref} from version ${from} to ${to}?`,
  );
  const label = await put(client, prompt, wish, from);
  const status = label === null ? "unchanged" : from === null ? "created" : "moved";
  reportMove(output, prompt, {
    name,
    from,
    to,
    status,
    breaking: diff?.variables.breaking ?? false,
    label,
    evidence,
  });
}

interface Compared {
  before: Version | null;
  after: Version;
  diff: Diff | null;
}

async function compare(
  client: Client,
  prompt: Prompt,
  { from, to }: { from: number | null; to: number },
): Promise<Compared> {
  const address = addressOf(prompt);
  const [after, before, diff] = await Promise.all([
    versionAt(client, address, to),
    from === null ? null : client.prompts.versions.get({ ...address, n: from, query: { files: "meta" } }),
    from === null ? null : client.prompts.diff({ ...address, range: `${from}..${to}` }),
  ]);
  if (after.yanked) throw yankedError(prompt.ref, to);
  return { before, after: after.version, diff };
}

/** The registry would say so as well, but after the question. */
export const yankedError = (ref: string, n: number) =>
  new ApiError({
    code: "version_yanked",
    status: 409,
    message: `Version ${n} of ${ref} is yanked and cannot be labelled. \`promptreg restore\` makes a new version of it.`,
  });

function preview(
  { ref }: Prompt,
  {
    name,
    before,
    after,
    diff,
    authorOf,
  }: Compared & { name: string; authorOf: (version: Version) => string },
  brush: Style,
): string {
  const { bold, dim } = brush.colors;
  const line = (version: Version) => {
    const { n, createdAt, message } = version;
    const made = dim(`${fromNow(createdAt)} by ${authorOf(version)}`);
    return [`version ${n}`, made, ...(message === null ? [] : [cell(message.split("\n", 1).join())])].join(
      "  ",
    );
  };
  return [
    `${bold(cell(ref))} ${bold(name)}`,
    `  from  ${before === null ? "none: a new label" : line(before)}`,
    `  to    ${line(after)}`,
    ...(diff === null ? [] : [printDiff(diff, brush, { maxLines })]),
  ].join("\n");
}

/**
 * Gives null where the label is there without our doing: another did the same, or our own first try was not answered.
 * Undefined where the token may move it, but not read it.
 */
async function put(
  client: Client,
  prompt: Prompt,
  { name, to, reason }: LabelChange,
  from: number | null,
): Promise<Label | null | undefined> {
  const address = addressOf(prompt);
  const body = { versionNumber: to, reason, expectedVersionNumber: from };
  try {
    return await client.prompts.labels.put({ ...address, name, body });
  } catch (error) {
    const isConflict = error instanceof ApiError && error.code === "label_conflict";
    if (isConflict && versionOf(await getPrompt(client, address), name) === to) return null;
    throw error;
  }
}

interface Moved {
  name: string;
  from: number | null;
  to: number;
  status: "created" | "moved" | "unchanged";
  breaking?: boolean;
  label?: Label | null | undefined;
  evidence?: Evidences | undefined;
}

function reportMove(
  output: Output,
  { ref }: Prompt,
  { name, from, to, status, breaking = false, label, evidence }: Moved,
): void {
  const { bold } = output.colors;
  output.result({ ref, name, status, from, to, breaking, label: label ?? null, evidence }, () =>
    status === "unchanged"
      ? `${cell(ref)} ${bold(name)} is already at version ${to}`
      : `${cell(ref)} ${bold(name)}: ${from ?? "none"} → ${to}`,
  );
}
