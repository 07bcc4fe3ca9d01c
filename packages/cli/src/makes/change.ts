import type { Make, MakeVisibility } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import { UsageError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { readInput } from "../terminal/read-input.ts";
import { cell, countOf } from "../terminal/text.ts";

interface AboutOptions {
  slug?: string;
  summary?: string;
  /** A file of Markdown. */
  body?: string;
  tag?: string[];
  license?: string;
  visibility?: MakeVisibility;
}

/** What the options say, as requests have it. */
async function aboutOf({ body, tag, ...about }: AboutOptions, { stdin }: Context) {
  return {
    ...about,
    ...(tag && { tags: tag }),
    ...(body !== undefined && { body: await readInput(body, stdin) }),
  };
}

interface NewOptions extends AboutOptions {
  prompt?: PromptAddress[];
  publish?: boolean;
}

export async function createMake(
  context: Context,
  title: string,
  { prompt = [], publish = false, ...options }: NewOptions,
): Promise<void> {
  const { connect, output } = context;
  const about = await aboutOf(options, context);
  const prompts = prompt.map(({ owner, slug, version }) => ({
    prompt: `${owner}/${slug}`,
    ...(version !== undefined && { versionNumber: version }),
  }));
  const client = await connect();
  const made: Make | undefined = await client.makes.create({ body: { title, ...about, prompts, publish } });
  const name = made ? output.colors.bold(made.slug) : "The make";
  output.result(made ?? null, () => `${name} is ${publish ? "published" : "a draft"}`);
}

export async function editMake(
  context: Context,
  slug: string,
  options: AboutOptions & { title?: string },
): Promise<void> {
  const { connect, output } = context;
  const change = await aboutOf(options, context);
  if (Object.keys(change).length === 0)
    throw new UsageError("Name what to change, such as --title, --summary, --body, --tag or --visibility.");
  const client = await connect();
  const edited: Make | undefined = await client.makes.update({ slug, body: change });
  output.result(edited ?? null, () => `${output.colors.bold(change.slug ?? slug)} is edited`);
}

export async function publishMake({ connect, confirm, output }: Context, slug: string): Promise<void> {
  const client = await connect();
  const { title, visibility, links, status } = await client.makes.get({ slug });
  const heard =
    links.length > 0 ? ` The owners of ${countOf(links.length, "linked prompt")} hear of it.` : "";
  if (status === "draft")
    await confirm(`Publish ${slug} ${cell(JSON.stringify(title))}, ${visibility}?${heard}`);
  const now: Make | undefined = await client.makes.update({ slug, body: { status: "published" } });
  output.result(now ?? null, () => `${output.colors.bold(slug)} is published`);
}

export async function deleteMake({ connect, confirm, output }: Context, slug: string): Promise<void> {
  const client = await connect();
  const { title } = await client.makes.get({ slug });
  await confirm(`Delete the make ${slug} ${cell(JSON.stringify(title))}? Nobody can have its slug again.`);
  await client.makes.delete({ slug });
  output.result({ slug, deleted: true }, () => `${output.colors.bold(slug)} is deleted`);
}

export async function remixMake(
  { connect, output }: Context,
  of: string,
  { title, slug }: { title?: string; slug?: string },
): Promise<void> {
  const client = await connect();
  const made: Make | undefined = await client.makes.remix({ slug: of, body: { title, slug } });
  const name = made ? output.colors.bold(made.slug) : "The remix";
  output.result(made ?? null, () => `${name} is a draft, a remix of ${of}`);
}
