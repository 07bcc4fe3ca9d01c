import { readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import {
  type AddMakeFile,
  describeIssue,
  type GalleryItem,
  limits,
  type LinkPrompt,
  type Make,
  type MakeFile,
  type MakeLink,
  MakeManifest,
  type ManifestFile,
  type ManifestItem,
  type Part,
  readEmbed,
  UpdateMake,
} from "@promptreg/core";
import { parseRef } from "@promptreg/core/refs";
import { applyEdits, modify } from "jsonc-parser";
import { placeIn, requireFile, sha256Of } from "../disk/places.ts";
import { readFileAt } from "../disk/read-file.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { absent, InputError, Interrupted, naming, UsageError } from "../errors.ts";
import { advised, sendReady } from "../media/index.ts";
import type { Client } from "../requests/client.ts";
import { createOnce } from "../requests/create-once.ts";
import type { Context } from "../settings/context.ts";
import { unreadable } from "../terminal/read-input.ts";
import { cell, countOf } from "../terminal/text.ts";

const manifestName = "make.json";

/** What a push goes on with: all of it is compared with what is there, so that it can be interrupted anywhere. */
interface Pushing extends Sending {
  folder: string;
  slug: string;
}

/** How a make is sent. */
interface Sending {
  client: Client;
  /** Says what is being done, and counts it. */
  doing: (what: string) => void;
  /** Leaves what is there and not in the folder. */
  keeps?: boolean;
  /** How long an upload may take. */
  timeoutMs?: number;
}

/** A folder that can be sent. */
export interface MakeFolder {
  folder: string;
  manifest: MakeManifest;
  /** The manifest as it is written. */
  text: string;
  texts: Texts;
}

/** What a manifest says of its texts. What it does not name is undefined, and stays. */
type Texts = Pick<MakeManifest, "title" | "summary" | "tags" | "license" | "visibility" | "body">;

export async function pushMake(
  { connect, confirm, output }: Context,
  folder = ".",
  { publish = false }: { publish?: boolean },
): Promise<void> {
  const make = await readMake(folder);
  const { slug: named, visibility, prompts = [] } = make.manifest;
  const client = await connect();
  const there = await findMake(client, named);
  const refs = await findPrompts(client, prompts, there?.links ?? []);
  if (publish && isEmpty(make, there))
    throw new InputError(
      "A make that is published needs a body or something in its gallery. Add a README.md, or name a picture below gallery.",
    );
  let done = 0;
  let now = "";
  const progress = output.progress(() => `${now} (${done} done)`);
  const doing = (what: string) => {
    now = what;
    done += 1;
  };
  const before = await sendMake({ client, doing }, make, { there, refs })
    .finally(progress.end)
    .catch((error: Error) => {
      if (done > 1) output.note("What was sent before this stays. Mend it and push again to go on.");
      throw error;
    });
  const { slug } = before;
  if (publish && before.status === "draft") {
    await confirm(`Publish ${slug}, ${visibility ?? before.visibility}?`).catch((error: Error) => {
      const stays = `${slug} is here as a draft.`;
      throw error instanceof Interrupted
        ? new Interrupted(`${stays} Push again with --publish to publish it.`)
        : new UsageError(`${error.message} ${stays}`);
    });
    doing("publishing");
    await client.makes.update({ slug, body: { status: "published" } });
  }
  const pushed = await client.makes.get({ slug });
  output.result({ ...pushed, changes: done }, () => {
    const changes = countOf(done, "change");
    const became =
      there === null ? `is created: ${changes}` : done === 0 ? "is up to date" : `is pushed: ${changes}`;
    return `${output.colors.bold(slug)} ${became}, ${pushed.status}`;
  });
  for (const { prompt, status } of pushed.links)
    if (
      status === "pending" &&
      before.links.some((link) => link.prompt.ref === prompt.ref && link.status === "approved")
    )
      output.note(`The link to ${prompt.ref} waits for its owner again: it names another version.`);
}

/** Whether a make has nothing to look at, once its folder is pushed. */
const isEmpty = ({ manifest, texts }: MakeFolder, there: Make | null): boolean =>
  (texts.body ?? there?.body ?? "").trim() === "" && (manifest.gallery ?? there?.media ?? []).length === 0;

/** Reads a folder, whose files are all there: before anything is sent or removed. */
export async function readMake(folder: string): Promise<MakeFolder> {
  const { manifest, text } = readManifest(folder);
  for (const [nth, { path }] of (manifest.gallery ?? []).entries())
    await requireFile(folder, `gallery.${nth}`, path);
  for (const [nth, { path }] of (manifest.files ?? []).entries())
    await requireFile(folder, `files.${nth}`, path);
  const { title, summary, tags, license, visibility } = manifest;
  const texts: Texts = { title, summary, tags, license, visibility, body: await readBody(folder, manifest) };
  return { folder, manifest, text, texts };
}

/**
 * Makes a make what its folder says.
 * @returns it as it was before, or as it was created.
 */
export async function sendMake(
  sending: Sending,
  { folder, manifest, text, texts }: MakeFolder,
  { there, refs }: { there: Make | null; refs: ReadonlyMap<LinkPrompt, string> },
): Promise<Make> {
  const { client, doing } = sending;
  const { gallery, files, parts, prompts } = manifest;
  if (there === null) doing("creating the make");
  const make = there ?? (await create(client, folder, { ...texts, slug: manifest.slug }));
  const { slug } = make;
  if (manifest.slug !== slug) await nameSlug(folder, text, slug);
  const pushing: Pushing = { ...sending, folder, slug };
  await pushTexts(pushing, make, texts);
  if (gallery) await pushGallery(pushing, make.media, gallery);
  if (files) await pushFiles(pushing, make.files, files);
  if (parts) await pushParts(pushing, make.parts, parts);
  if (prompts) await pushLinks(pushing, make, { wanted: prompts, refs });
  return make;
}

/** Does something with an entry of the manifest. What fails says which it was. */
const at = <Result>(entry: string, what: string, act: () => Promise<Result>): Promise<Result> =>
  naming(`${entry} (${cell(what)})`, () =>
    act().catch((error: Error) => {
      throw advised(error, "name it below files");
    }),
  );

function readManifest(folder: string): { manifest: MakeManifest; text: string } {
  const file = join(folder, manifestName);
  const text = new TextDecoder().decode(readFileAt(file, 1).bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InputError(`${file} is not valid JSON.`);
  }
  const parsed = MakeManifest.safeParse(value, { error: describeIssue });
  if (parsed.success) return { manifest: parsed.data, text };
  throw new InputError(
    `${file} cannot be used.`,
    parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message })),
  );
}

/** The Markdown that a manifest names, else that of a README; undefined if there is none. */
async function readBody(folder: string, { body }: MakeManifest): Promise<string | undefined> {
  const path = body ?? (await readdir(folder)).find((name) => /^readme\.md$/i.test(name));
  if (path === undefined) return undefined;
  await requireFile(folder, "body", path);
  const place = placeIn(folder, path);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(readFileAt(place, 1).bytes);
  } catch (error) {
    throw unreadable(place, error);
  }
  const { error } = UpdateMake.safeParse({ body: text }, { error: describeIssue });
  if (error) throw new InputError(`${place} ${error.issues[0]?.message}.`);
  return text;
}

/** The make that a manifest names by its slug, or by one that it had; null where there is none. */
async function findMake(client: Client, slug: string | undefined): Promise<Make | null> {
  if (slug === undefined) return null;
  try {
    const make = await client.makes.get({ slug });
    if (make.viewer?.isMaker === true) return make;
    throw new InputError(
      `${slug} is a make of ${make.maker.handle}. Choose another slug in ${manifestName}.`,
    );
  } catch (error) {
    const { status } = error as { status?: unknown };
    if (status === 410)
      throw new InputError(`The make ${slug} was deleted. Choose another slug in ${manifestName}.`);
    if (status !== 404) throw error;
    return null;
  }
}

/**
 * The present address of each prompt that a manifest names. A link to one that was renamed has it, and must not wait for its owner again.
 * @throws {ApiError} if one, or its version, is not there.
 */
async function findPrompts(
  client: Client,
  wanted: readonly LinkPrompt[],
  links: readonly MakeLink[],
): Promise<ReadonlyMap<LinkPrompt, string>> {
  const refs = new Map<LinkPrompt, string>();
  for (const [nth, one] of wanted.entries()) {
    const { prompt, versionNumber: n } = one;
    const isThere = links.some(
      (link) => link.prompt.ref === prompt && (n ?? link.versionNumber) === link.versionNumber,
    );
    const address = parseRef(prompt);
    refs.set(
      one,
      isThere
        ? prompt
        : await at(`prompts.${nth}`, n === undefined ? prompt : `${prompt}@${n}`, async () => {
            if (n !== undefined) await client.prompts.versions.get({ ...address, n });
            return (await client.prompts.get(address)).ref;
          }),
    );
  }
  return refs;
}

async function create(
  client: Client,
  folder: string,
  body: Texts & { slug: string | undefined },
): Promise<Make> {
  const made: Make | undefined = await createOnce(
    [resolve(folder), body],
    (options) => client.makes.create({ body }, options),
    ({ slug }) => client.makes.get({ slug }).catch(absent),
  );
  if (made) return made;
  throw new InputError("A push compares what is there: the token needs the scope read.");
}

/** Writes the slug of a make into its manifest, so that the next push finds it. */
async function nameSlug(folder: string, text: string, slug: string): Promise<void> {
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const edits = modify(text, ["slug"], slug, { formattingOptions, getInsertionIndex: () => 0 });
  await replaceFile(join(folder, manifestName), applyEdits(text, edits));
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

async function pushTexts({ client, slug, doing }: Pushing, make: Make, texts: Texts): Promise<void> {
  const change = Object.fromEntries(
    Object.entries(texts).filter(
      ([name, value]) => value !== undefined && !same(make[name as keyof Texts], value),
    ),
  );
  if (Object.keys(change).length === 0) return;
  doing("changing its texts");
  await client.makes.update({ slug, body: change });
}

/** Things of a manifest with the ones that they are at the registry; those that are left over there go. */
function pair<Wanted, Present>(
  wanted: readonly Wanted[],
  present: readonly Present[],
  ...rules: ((one: Wanted, there: Present) => boolean)[]
): { pairs: Map<Wanted, Present>; left: Present[] } {
  const left = [...present];
  const pairs = new Map<Wanted, Present>();
  for (const fits of rules) {
    for (const one of wanted) {
      const at = pairs.has(one) ? -1 : left.findIndex((there) => fits(one, there));
      const [found] = at < 0 ? [] : left.splice(at, 1);
      if (found !== undefined) pairs.set(one, found);
    }
  }
  return { pairs, left };
}

/** Whether things stand in an order already: those that were there as they were, and new ones behind them. */
const isInOrder = (present: readonly { id: string }[], ids: readonly string[]): boolean => {
  const before = present.map(({ id }) => id).filter((id) => ids.includes(id));
  return same([...before, ...ids.filter((id) => !before.includes(id))], ids);
};

/** The digests of the files of a folder, each read once. */
async function digestsOf(
  folder: string,
  wanted: readonly { path?: string }[],
): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  for (const { path } of wanted)
    if (path !== undefined && !digests.has(path)) digests.set(path, await sha256Of(placeIn(folder, path)));
  return digests;
}

async function pushGallery(
  { client, folder, slug, doing, keeps, timeoutMs }: Pushing,
  present: readonly GalleryItem[],
  wanted: readonly ManifestItem[],
): Promise<void> {
  // Pictures are written anew: what was sent is told by its own digest.
  const sent = new Map<string, string>();
  for (const { media } of present) {
    if (media) sent.set(media.id, (await client.media.get({ id: media.id })).sent?.sha256 ?? "");
  }
  const digests = await digestsOf(folder, wanted);
  const { pairs, left } = pair(wanted, present, ({ path, embedUrl }, { media, embed }) =>
    path === undefined
      ? embed !== null && embed.url === readEmbed(embedUrl ?? "")?.url
      : media !== null && sent.get(media.id) === digests.get(path),
  );
  let room = limits.galleryItemsPerMake - present.length;
  const remove = async ({ id }: GalleryItem) => {
    doing("removing from the gallery");
    await client.makes.media.delete({ slug, id });
    room += 1;
  };
  const ids: string[] = [];
  for (const [nth, one] of wanted.entries()) {
    const {
      path,
      embedUrl,
      caption = null,
      alt = null,
      cover = nth === 0 && wanted.every((item) => !item.cover),
    } = one;
    let item = pairs.get(one);
    if (item === undefined) {
      const what = path ?? embedUrl ?? "";
      doing(`sending ${what}`);
      item = await at(`gallery.${nth}`, what, async () => {
        const media =
          path === undefined ? { embedUrl } : await sendReady(client, placeIn(folder, path), {}, timeoutMs);
        const [spare] = room === 0 && !keeps ? left.splice(0, 1) : [];
        if (spare) await remove(spare);
        return (await client.makes.media.add({ slug, body: { ...media, caption, alt } })) as GalleryItem;
      });
      room -= 1;
    }
    ids.push(item.id);
    const isOther = item.caption !== caption || (alt !== null && item.alt !== alt);
    const isNewCover = cover && !item.cover;
    if (!isOther && !isNewCover) continue;
    doing("changing the gallery");
    await client.makes.media.update({
      slug,
      id: item.id,
      body: { caption, ...(alt !== null && { alt }), ...(isNewCover && { cover: true as const }) },
    });
  }
  // At the end: what cannot be sent must not cost what was there.
  if (keeps) ids.push(...left.map(({ id }) => id));
  else for (const one of left) await remove(one);
  if (isInOrder(present, ids)) return;
  doing("ordering the gallery");
  await client.makes.media.reorder({ slug, body: { ids } });
}

async function pushFiles(
  { client, folder, slug, doing, keeps, timeoutMs }: Pushing,
  present: readonly MakeFile[],
  wanted: readonly ManifestFile[],
): Promise<void> {
  const digests = await digestsOf(folder, wanted);
  const isSame = ({ path }: ManifestFile, { sha256 }: MakeFile) => digests.get(path) === sha256;
  // What has another content and the same name is put in its place, and keeps its downloads.
  const isNamed = ({ path }: ManifestFile, { filename }: MakeFile) => basename(path) === filename;
  const { pairs, left } = pair(
    wanted,
    present,
    (one, there) => isSame(one, there) && isNamed(one, there),
    isSame,
    isNamed,
  );
  let room = limits.filesPerMake - present.length;
  const remove = async ({ id }: MakeFile) => {
    doing("removing a file");
    await client.makes.files.delete({ slug, id });
    room += 1;
  };
  const ids: string[] = [];
  for (const [nth, one] of wanted.entries()) {
    const { path, label = basename(path), description = null } = one;
    const there = pairs.get(one);
    if (there && isSame(one, there) && there.label === label && there.description === description) {
      ids.push(there.id);
      continue;
    }
    const isSent = there === undefined || !isSame(one, there);
    doing(`${isSent ? "sending" : "changing"} ${path}`);
    const file = await at(`files.${nth}`, path, async () => {
      const media = isSent
        ? await sendReady(client, placeIn(folder, path), { purpose: "file" }, timeoutMs)
        : {};
      const body = { ...media, label, description };
      if (there) return client.makes.files.update({ slug, id: there.id, body });
      const [spare] = room === 0 && !keeps ? left.splice(0, 1) : [];
      if (spare) await remove(spare);
      room -= 1;
      return client.makes.files.add({ slug, body: body as AddMakeFile });
    });
    ids.push((file as MakeFile).id);
  }
  // At the end, as in the gallery.
  if (keeps) ids.push(...left.map(({ id }) => id));
  else for (const one of left) await remove(one);
  if (isInOrder(present, ids)) return;
  doing("ordering the files");
  await client.makes.files.reorder({ slug, body: { ids } });
}

type WantedPart = NonNullable<MakeManifest["parts"]>[number];
const partOf = ({
  name,
  quantity = 1,
  unit = null,
  url = null,
  price = null,
  note = null,
  optional = false,
}: WantedPart) => ({
  name,
  quantity,
  unit,
  url,
  price: price && { amount: price.amount, currency: price.currency },
  note,
  optional,
});

async function pushParts(
  { client, slug, doing, keeps }: Pushing,
  present: readonly Part[],
  wanted: readonly WantedPart[],
): Promise<void> {
  const isSame = (one: WantedPart, there: Part) => same(partOf(one), partOf(there));
  const { pairs, left } = pair(wanted, present, isSame, (one, there) => one.name === there.name);
  for (const { id } of keeps ? [] : left) {
    doing("removing a part");
    await client.makes.parts.delete({ slug, id });
  }
  const ids: string[] = [];
  for (const one of wanted) {
    const there = pairs.get(one);
    if (there !== undefined && isSame(one, there)) {
      ids.push(there.id);
      continue;
    }
    doing(`${there ? "changing" : "adding"} the part ${one.name}`);
    const body = partOf(one);
    const part = there
      ? await client.makes.parts.update({ slug, id: there.id, body })
      : await client.makes.parts.add({ slug, body });
    ids.push((part as Part).id);
  }
  if (keeps) ids.push(...left.map(({ id }) => id));
  if (isInOrder(present, ids)) return;
  doing("ordering the parts");
  await client.makes.parts.reorder({ slug, body: { ids } });
}

async function pushLinks(
  { client, slug, doing, keeps }: Pushing,
  { links }: Make,
  { wanted, refs }: { wanted: readonly LinkPrompt[]; refs: ReadonlyMap<LinkPrompt, string> },
): Promise<void> {
  const { pairs, left } = pair(
    wanted,
    links,
    (one, { prompt, versionNumber, note }) =>
      refs.get(one) === prompt.ref &&
      (one.versionNumber ?? versionNumber) === versionNumber &&
      (one.note ?? null) === note,
  );
  for (const { id: linkId, prompt } of keeps ? [] : left) {
    doing(`removing the link to ${prompt.ref}`);
    await client.makes.prompts.unlink({ slug, linkId });
  }
  for (const [nth, one] of wanted.entries()) {
    if (pairs.has(one)) continue;
    doing(`linking to ${one.prompt}`);
    const versionNumber =
      one.versionNumber ?? left.find(({ prompt }) => prompt.ref === refs.get(one))?.versionNumber;
    await at(`prompts.${nth}`, one.prompt, () =>
      client.makes.prompts.link({ slug, body: { ...one, versionNumber } }),
    );
  }
}
