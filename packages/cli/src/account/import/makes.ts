import type { Make, MakeLink } from "@promptreg/client";
import type { LinkPrompt } from "@promptreg/core";
import { absent } from "../../errors.ts";
import { type MakeFolder, sendMake } from "../../makes/index.ts";
import type { readMakeFolder } from "./read-unit.ts";
import { exists } from "./exists.ts";
import { attempt, change, type Importing, leaveOut, leaveTaken, refHere, tally, whyClosed } from "./run.ts";

/** Brings a make as a draft, and publishes it at the end if it was published. */
export async function bringMake(
  run: Importing,
  { slug, record, make }: Awaited<ReturnType<typeof readMakeFolder>>,
): Promise<void> {
  run.doing(`the make ${slug}`);
  const there = await findMake(run, slug);
  const taken = there === null ? null : takenBy(run, there, make);
  if (taken !== null) {
    run.taken.makes.add(slug);
    return leaveTaken(run, `the make ${slug}`, taken);
  }
  run.brought.makes.add(slug);
  const isPublished = there !== null && there !== "deleted" && there.status === "published";
  if (there !== null) tally(run, "makes", "there");
  if (isPublished) run.published.add(slug);
  if (isPublished && !(run.publish && record.status === "published")) run.closed.add(`make:${slug}`);
  // It is published at the very end: nothing of it is missing but links to what was not here.
  if (isPublished) return bringLinks(run, make, there);
  const done = await attempt(run, `the make ${slug}, or a part of it`, async () => {
    const { prompts, refs } = await linksOf(
      run,
      make,
      there === null || there === "deleted" ? [] : there.links,
    );
    const folder = { ...make, manifest: { ...make.manifest, prompts } };
    const doing = (what: string) => run.doing(`${what} of the make ${slug}`);
    const sending = { client: run.client, doing, keeps: true, timeoutMs: Number.POSITIVE_INFINITY };
    const before = there === "deleted" ? null : there;
    const send = () => sendMake(sending, folder, { there: before, refs });
    if (there === null) await change(run, "makes", send);
    else if (!run.isDryRun) await send();
    return true;
  });
  if (record.remixOf !== null && there === null)
    leaveOut(run, `that the make ${slug} is a remix of ${record.remixOf}`, "only a new remix can say so");
  if (!done || !run.publish || record.status !== "published") return;
  await attempt(run, `the publication of the make ${slug}`, async () => {
    await change(
      run,
      "makes",
      () => run.client.makes.update({ slug, body: { status: "published" } }),
      "opened",
    );
    run.published.add(slug);
  });
}

/** Brings the links that a published make lacks. */
async function bringLinks(run: Importing, make: MakeFolder, { slug, links }: Make): Promise<void> {
  const { prompts } = await linksOf(run, make, links);
  for (const body of prompts) {
    const what = nameOfLink(slug, body);
    if (run.closed.has(`make:${slug}`)) leaveOut(run, what, whyClosed(run));
    else
      await attempt(run, what, () =>
        change(run, "links", () => run.client.makes.prompts.link({ slug, body })),
      );
  }
}

const nameOfLink = (slug: string | undefined, { prompt, versionNumber }: LinkPrompt): string =>
  `the link of the make ${slug} to ${prompt}${versionNumber ? `@${versionNumber}` : ""}`;

async function findMake({ client }: Importing, slug: string): Promise<Make | "deleted" | null> {
  try {
    return await client.makes.get({ slug });
  } catch (error) {
    if ((error as { status?: unknown }).status === 410) return "deleted";
    return absent(error as Error);
  }
}

/** Why a make cannot have its slug; null if what is there is the same. */
function takenBy({ me }: Importing, there: Make | "deleted", { manifest, texts }: MakeFolder): string | null {
  if (there === "deleted") return "a make with this slug was deleted here";
  if (there.maker.handle !== me.handle) return "a make of somebody else has this slug";
  if (there.slug !== manifest.slug) return `the slug leads to ${there.slug}`;
  const textOf = ({
    title,
    summary = null,
    body = "",
  }: Pick<MakeFolder["texts"], "title" | "summary" | "body">) => JSON.stringify([title, summary, body]);
  return textOf(there) === textOf(texts) ? null : "another make of yours has this slug";
}

/** The links to prompts that are here, by their addresses here. */
async function linksOf(run: Importing, { manifest }: MakeFolder, present: readonly MakeLink[]) {
  const prompts: LinkPrompt[] = [];
  const refs = new Map<LinkPrompt, string>();
  for (const link of manifest.prompts ?? []) {
    const { owner, slug } = refHere(run, link.prompt);
    const here = { ...link, prompt: `${owner}/${slug}` };
    if (present.some(({ prompt }) => prompt.ref === here.prompt)) continue;
    if (await exists(run, link.prompt, link.versionNumber)) {
      prompts.push(here);
      refs.set(here, here.prompt);
    } else leaveOut(run, nameOfLink(manifest.slug, link), "it is not here");
  }
  return { prompts, refs };
}
