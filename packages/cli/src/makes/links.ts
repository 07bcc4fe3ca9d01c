import type { LinkedMake, MakeLink, MakeVisibility } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import { InputError } from "../errors.ts";
import type { Client } from "../requests/client.ts";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import { cell } from "../terminal/text.ts";

const refOf = ({ owner, slug }: PromptAddress): string => `${owner}/${slug}`;

export async function linkPrompt(
  { connect, output }: Context,
  slug: string,
  { version, ...prompt }: PromptAddress,
  { note }: { note?: string },
): Promise<void> {
  const client = await connect();
  const body = { prompt: refOf(prompt), note, ...(version !== undefined && { versionNumber: version }) };
  const link: MakeLink | undefined = await client.makes.prompts.link({ slug, body });
  output.result(link ?? null, () => {
    const to = link ? `${link.prompt.ref}@${link.versionNumber}` : body.prompt;
    const state = link?.status === "pending" ? ", and waits for its owner" : link ? `: ${link.status}` : "";
    return `${output.colors.bold(slug)} links to ${to}${state}`;
  });
}

/** The link of a make to a prompt, or its only one to a prompt of the caller's; and who finds the make. */
async function findLink(
  client: Client,
  slug: string,
  prompt: PromptAddress | undefined,
): Promise<{ link: MakeLink; visibility: MakeVisibility }> {
  const { links, visibility } = await client.makes.get({ slug });
  const ref = prompt && refOf(prompt);
  const found = ref === undefined ? links : links.filter((link) => link.prompt.ref === ref);
  const [first, ...others] = found;
  if (first === undefined)
    throw new InputError(
      ref === undefined
        ? `${slug} has no link that you see.`
        : `${slug} has no link to ${ref} that you see. A renamed prompt has its new name there.`,
    );
  if (others.length > 0)
    throw new InputError(
      `${slug} links to several prompts. Name one of them: ${found.map((link) => link.prompt.ref).join(", ")}.`,
    );
  return { link: first, visibility };
}

export async function unlinkPrompt(
  { connect, confirm, output }: Context,
  slug: string,
  prompt: PromptAddress,
): Promise<void> {
  const client = await connect();
  const { id: linkId, prompt: of } = (await findLink(client, slug, prompt)).link;
  await confirm(`Remove the link of ${slug} to ${of.ref}?`);
  await client.makes.prompts.unlink({ slug, linkId });
  output.result(
    { id: linkId, deleted: true },
    () => `${output.colors.bold(slug)} links to ${of.ref} no more`,
  );
}

const says = {
  approve: "is in the gallery of",
  reject: "is not in the gallery of",
  pin: "is pinned in the gallery of",
  unpin: "is not pinned in the gallery of",
};

export async function decide(
  { connect, output }: Context,
  {
    slug,
    prompt,
    verb,
    reason,
  }: { slug: string; prompt: PromptAddress | undefined; verb: keyof typeof says; reason: string | undefined },
): Promise<void> {
  const client = await connect();
  const {
    link: { id: linkId, prompt: of },
    visibility,
  } = await findLink(client, slug, prompt);
  const link: MakeLink | undefined =
    verb === "approve"
      ? await client.makes.prompts.approve({ slug, linkId })
      : verb === "reject"
        ? await client.makes.prompts.reject({ slug, linkId, body: { reason } })
        : await client.makes.prompts.pin({ slug, linkId, body: { pinned: verb === "pin" } });
  output.result(link ?? null, () => {
    const name = output.colors.bold(slug);
    return verb === "approve" && visibility === "unlisted"
      ? `${name} is approved for ${of.ref}. It is unlisted: the gallery shows it once it is public.`
      : `${name} ${says[verb]} ${of.ref}`;
  });
}

/** Prints links and their makes. */
async function print(
  { output }: Context,
  asked: AsyncIterable<LinkedMake>,
  { limit, none }: { limit: number; none: string },
): Promise<void> {
  const { items, hasMore } = await take(asked, limit);
  const rows = items.map(({ link, make }) => [
    output.colors.bold(make.slug),
    cell(make.title),
    cell(make.maker.handle),
    `${cell(link.prompt.ref)}@${link.versionNumber}${link.pinned ? ", pinned" : ""}`,
    cell(link.note ?? ""),
  ]);
  output.result({ items, hasMore }, () =>
    output.table(["make", "title", "maker", "prompt", "note"], rows, ["make", "prompt"]),
  );
  if (output.isJson) return;
  if (items.length === 0) output.note(none);
  output.more(hasMore);
}

export async function listInbox(
  context: Context,
  { prompt, limit }: { prompt?: PromptAddress; limit: number },
): Promise<void> {
  const client = await context.connect();
  const query = { limit: Math.min(limit, 100), prompt: prompt && refOf(prompt) };
  await print(context, client.makes.inbox({ query }), { limit, none: "Nothing waits for you." });
}

export async function listGallery(
  context: Context,
  prompt: PromptAddress,
  { version, limit }: { version?: number; limit: number },
): Promise<void> {
  const client = await context.connect();
  const query = { limit: Math.min(limit, 100), prompt: refOf(prompt), version };
  await print(context, client.makes.gallery({ query }), {
    limit,
    none: "No make is in the gallery of this prompt.",
  });
}
