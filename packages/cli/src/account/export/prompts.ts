import type { Example, Label, PromptSummary, VersionSummary } from "@promptreg/client";
import type { DatasetRecord, ExampleRecord, PromptRecord } from "@promptreg/core/account";
import { type CheckedFile, checkFiles } from "@promptreg/core/content";
import { manifestName, manifestOf } from "../../folders/index.ts";
import { nameOfMedia } from "../../media/index.ts";
import { ahead } from "../../requests/ahead.ts";
import { checkVersion } from "../../requests/read-version.ts";
import { countOf } from "../../terminal/text.ts";
import { type Entries, jsonEntry } from "./entries.ts";
import { count, type Exporting, mediaEntry, oldestFirst, unlessGone } from "./run.ts";

/** All prompts of the account, each with its versions, its draft, its datasets and the account's examples. */
export async function* promptEntries(run: Exporting): Entries {
  const query = { owner: "me", sort: "newest" as const, limit: 100 };
  const list = await oldestFirst(run.client.prompts.list({ query }), (prompt) => prompt);
  for await (const found of ahead(list, (prompt) =>
    unlessGone(run, `the prompt ${prompt.ref}`, look(run, prompt)),
  )) {
    if (found === null) continue;
    yield* headEntries(found);
    yield* versionEntries(run, found);
    if (found.draft) yield* fileEntries(`${folderOf(found)}draft/`, found.draft.files);
    yield* datasetEntries(run, found);
    yield* exampleEntries(run, found);
    count(run, "prompts");
  }
}

/** What is in memory of a prompt at once. */
export interface Found {
  prompt: PromptSummary;
  versions: PromptRecord["versions"];
  labels: Label[];
  draft: (PromptRecord["draft"] & { files: CheckedFile[] }) | null;
}

async function look({ client }: Exporting, prompt: PromptSummary): Promise<Found> {
  const address = { owner: prompt.owner.handle, slug: prompt.slug };
  const query = { limit: 100 };
  const versions: Found["versions"] = [];
  for await (const version of client.prompts.versions.list({ ...address, query }))
    versions.push(recordOf(version));
  const labels: Label[] = [];
  for await (const label of client.prompts.labels.list({ ...address, query }))
    if (!label.system) labels.push(label);
  const { draft } = await client.prompts.draft.get(address);
  return {
    prompt,
    versions: versions.reverse(),
    labels,
    draft: draft && {
      message: draft.message,
      baseVersionNumber: draft.baseVersionNumber,
      updatedAt: draft.updatedAt,
      files: (await checkFiles(draft.files)).files,
    },
  };
}

const recordOf = ({ n, message, author, createdAt, contentHash, origin, yanked }: VersionSummary) => ({
  n,
  message,
  author: author.handle,
  createdAt,
  contentHash,
  origin,
  yanked: yanked && { at: yanked.at, reason: yanked.reason, by: yanked.by.handle },
});

const folderOf = ({ prompt }: Found): string => `prompts/${prompt.slug}/`;

async function* headEntries(found: Found): Entries {
  const { prompt, versions, labels, draft } = found;
  const { id, status, createdAt, updatedAt, publishedAt, forkedFrom } = prompt;
  const record: PromptRecord = {
    id,
    status,
    createdAt,
    updatedAt,
    publishedAt,
    forkedFrom,
    versions,
    labels: labels.map(({ name, versionNumber, reason, updatedAt, updatedBy }) => ({
      name,
      versionNumber,
      reason,
      updatedAt,
      updatedBy: updatedBy?.handle ?? null,
    })),
    draft: draft && {
      message: draft.message,
      baseVersionNumber: draft.baseVersionNumber,
      updatedAt: draft.updatedAt,
    },
  };
  yield jsonEntry(`${folderOf(found)}${manifestName}`, manifestOf({ prompt }));
  yield jsonEntry(`${folderOf(found)}record.json`, record);
}

async function* versionEntries(run: Exporting, found: Found): Entries {
  const { prompt, versions } = found;
  const address = { owner: prompt.owner.handle, slug: prompt.slug };
  const read = async ({ n }: PromptRecord["versions"][number]) => {
    const version = await run.client.prompts.versions.get({ ...address, n });
    return { n, ...(await checkVersion({ ref: prompt.ref, version })) };
  };
  for await (const { n, files } of ahead(versions, read)) {
    yield* fileEntries(`${folderOf(found)}versions/${n}/`, files);
    count(run, "versions");
  }
}

async function* fileEntries(folder: string, files: readonly CheckedFile[]): Entries {
  for (const { path, bytes, mode } of files)
    yield { path: folder + path, content: bytes, isExecutable: mode === "100755" };
}

async function* datasetEntries(run: Exporting, found: Found): Entries {
  const { client, spool } = run;
  const query = { prompt: found.prompt.ref, limit: 100 };
  let nth = 0;
  for await (const { id, ...dataset } of client.evals.datasets.list({ query })) {
    nth += 1;
    const folder = `${folderOf(found)}datasets/${nth}/`;
    const { name, description, visibility, revision, createdAt, updatedAt } = dataset;
    yield jsonEntry(`${folder}dataset.json`, {
      name,
      description,
      visibility,
      revision,
      createdAt,
      updatedAt,
    } satisfies DatasetRecord);
    const lines = await spool.lines();
    // As `dataset export` writes them.
    for await (const { id: _, position: __, ...one } of client.evals.datasets.cases.list({
      id,
      query: { limit: 500 },
    }))
      await lines.add(one);
    yield* lines.entry(`${folder}cases.jsonl`);
    count(run, "datasets");
  }
}

async function* exampleEntries(run: Exporting, found: Found): Entries {
  const { client, me } = run;
  const address = { owner: found.prompt.owner.handle, slug: found.prompt.slug };
  let nth = 0;
  let ofOthers = 0;
  for await (const one of client.examples.list({ ...address, query: { limit: 100 } })) {
    if (one.author.handle !== me.handle) {
      ofOthers += 1;
      continue;
    }
    nth += 1;
    yield* exampleEntry(run, `${folderOf(found)}examples/${nth}/`, one);
    count(run, "examples");
  }
  if (ofOthers > 0)
    run.leaveOut(`${countOf(ofOthers, "example")} of ${found.prompt.ref}`, "others wrote them");
}

async function* exampleEntry(run: Exporting, folder: string, one: Example): Entries {
  const { versionNumber, title, model, variables, input, output, note, status, createdAt } = one;
  const media: string[] = [];
  for (const [nth, each] of one.media.entries()) {
    const path = `media/${nameOfMedia(nth + 1, each)}`;
    yield* mediaEntry(run, folder + path, each, () => media.push(path));
  }
  const about = { versionNumber, title, model, variables, input, output, note };
  yield jsonEntry(`${folder}example.json`, { ...about, media, status, createdAt } satisfies ExampleRecord);
}
