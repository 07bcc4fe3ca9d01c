import type { Make } from "@promptreg/client";
import type { MakeManifest, ManifestFile, ManifestItem } from "@promptreg/core";
import type { MakeRecord } from "@promptreg/core/account";
import { pathProblems } from "@promptreg/core/content";
import { nameOfMedia } from "../../media/index.ts";
import { ahead } from "../../requests/ahead.ts";
import { type Entries, jsonEntry, textEntry } from "./entries.ts";
import { count, downloadEntry, type Exporting, mediaEntry, oldestFirst, unlessGone } from "./run.ts";

/** All makes of the account, each as a folder that `make push` takes. */
export async function* makeEntries(run: Exporting): Entries {
  const query = { mine: true, sort: "newest" as const, limit: 100 };
  const list = await oldestFirst(run.client.makes.list({ query }), ({ slug }) => slug);
  for await (const make of ahead(list, (slug) =>
    unlessGone(run, `the make ${slug}`, run.client.makes.get({ slug })),
  )) {
    if (make === null) continue;
    yield* entriesOf(run, make);
    count(run, "makes");
  }
}

async function* entriesOf(run: Exporting, make: Make): Entries {
  const folder = `makes/${make.slug}/`;
  const gallery: ManifestItem[] = [];
  for (const { media, embed, caption, alt, cover } of make.media) {
    const about = { caption, alt, ...(cover && { cover }) };
    if (embed) gallery.push({ embedUrl: embed.url, ...about });
    if (media === null) continue;
    const path = `gallery/${nameOfMedia(gallery.length + 1, media)}`;
    yield* mediaEntry(run, folder + path, media, () => gallery.push({ path, ...about }));
  }
  const files: ManifestFile[] = [];
  for (const [nth, { id, filename, label, description, sha256 }] of make.files.entries()) {
    const path = `files/${nth + 1}/${safely(filename)}`;
    const download = run.client.makes.files.download({ slug: make.slug, id });
    yield* downloadEntry(run, folder + path, { response: (await download.withResponse()).response, sha256 });
    files.push({ path, label, description });
  }
  yield textEntry(`${folder}README.md`, make.body);
  yield jsonEntry(`${folder}make.json`, manifestOf(make, { gallery, files }));
  const { id, status, remixOf, createdAt, updatedAt, publishedAt } = make;
  yield jsonEntry(`${folder}record.json`, {
    id,
    status,
    remixOf: remixOf?.slug ?? null,
    createdAt,
    updatedAt,
    publishedAt,
  } satisfies MakeRecord);
}

/** Whoever uploaded the file chose its name. It is a file here as well, and none that a system or a tool obeys. */
const safely = (filename: string): string => {
  const name = filename.normalize("NFC");
  return name.startsWith(".") || name.includes("/") || pathProblems([name]).size > 0 ? "file.bin" : name;
};

const manifestOf = (make: Make, things: Pick<MakeManifest, "gallery" | "files">): MakeManifest => ({
  slug: make.slug,
  title: make.title,
  summary: make.summary,
  tags: make.tags,
  license: make.license,
  visibility: make.visibility,
  body: "README.md",
  prompts: make.links.map(({ prompt, versionNumber, note }) => ({ prompt: prompt.ref, versionNumber, note })),
  ...things,
  parts: make.parts.map(({ id: _, position: __, ...part }) => part),
});
