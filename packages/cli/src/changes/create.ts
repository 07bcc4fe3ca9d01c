import type { PromptAddress } from "@promptreg/core/refs";
import { InputError, lookAt, UsageError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { cell } from "../terminal/text.ts";
import { type BodyOptions, readBody } from "./body.ts";

/** What the registry takes. */
const longestTitle = 120;

export async function create(
  context: Context,
  { owner, slug, ...which }: PromptAddress,
  { title, base, ...bodyOptions }: { title?: string; base?: number } & BodyOptions,
): Promise<void> {
  const { connect, confirm, output } = context;
  const body = await readBody(context, bodyOptions);
  const client = await connect();
  const fork = await client.prompts.get({ owner, slug, query: which });
  const { forkedFrom, version } = fork;
  if (forkedFrom === null) {
    throw new InputError(
      `${fork.ref} is no fork, or you cannot read any more what it was forked from. \`promptreg fork owner/slug\` makes a fork; change and push that.`,
    );
  }
  if (version === null) throw new InputError(`${fork.ref} has no version to propose.`);
  if (version.origin.type === "fork") {
    throw new InputError(
      `${fork.ref}@${version.n} is an unchanged copy of ${forkedFrom.ref}. Change it and push it first.`,
    );
  }
  const named = title ?? version.message?.split("\n", 1).join() ?? "";
  if (named === "" || named.length > longestTitle) {
    throw new UsageError(
      `A title has 1 to ${longestTitle} characters. Version ${version.n} has no message that fits. Give a --title.`,
    );
  }
  const [target, from] = [cell(forkedFrom.ref), `${cell(fork.ref)}@${version.n}`];
  await confirm(
    fork.visibility === "public"
      ? `Propose ${from} to ${target}?`
      : `Propose ${from} to ${target}? Whoever can read ${target} can then read what it changes.`,
  );
  const [targetOwner = "", targetSlug = ""] = forkedFrom.ref.split("/");
  const proposal = {
    source: { ref: fork.ref, versionNumber: version.n },
    title: named,
    body,
    baseVersionNumber: base,
  };
  const made = await lookAt(
    client.changeRequests.create({ owner: targetOwner, slug: targetSlug, body: proposal }),
    `promptreg change-request list ${target}`,
  );
  // A token that may not read is not told the number.
  const name = made === undefined ? "" : ` ${output.colors.bold(String(made.n))}`;
  output.result(made ?? null, () => `${output.colors.bold(target)} change request${name}: ${cell(named)}`);
  if (made) output.note(`\`promptreg change-request show ${target} ${made.n}\` shows its state.`);
}
