import type { CaseInput, Dataset, Example } from "@promptreg/client";
import type { ExampleRecord } from "@promptreg/core/account";
import { sha256Of } from "../../disk/places.ts";
import { absent } from "../../errors.ts";
import { sendReady } from "../../media/index.ts";
import { createOnce } from "../../requests/create-once.ts";
import type { PromptImport } from "./prompts.ts";
import type { readDataset, readExample } from "./read-unit.ts";
import { attempt, change, leaveOut, tally, whyClosed } from "./run.ts";

/** What one request takes: 10 MiB, and 10,000 cases. */
const batch = { bytes: 8 * 1024 ** 2, cases: 5_000 };

/** Brings a dataset of a prompt with its cases. One that is here gets those that it lacks. */
export async function bringDataset(
  prompt: PromptImport,
  { dataset, cases }: Awaited<ReturnType<typeof readDataset>>,
): Promise<void> {
  const { run, ref } = prompt;
  const { name, description, visibility } = dataset;
  if (!prompt.isOpen) return;
  await attempt(run, `the dataset ${JSON.stringify(name)} of ${prompt.slug}`, async () => {
    const there = prompt.isThere ? await findDataset(prompt, name) : null;
    if (there) tally(run, "datasets", "there");
    if (there?.visibility === "public" && run.publish && visibility !== "public")
      return leaveOut(
        run,
        `what is missing of the dataset ${JSON.stringify(name)} of ${prompt.slug}`,
        whyClosed(run),
      );
    const body = {
      prompt: ref,
      name,
      description,
      visibility: run.publish ? visibility : ("private" as const),
    };
    const made = there ?? (await change(run, "datasets", () => run.client.evals.datasets.create({ body })));
    let text = "";
    let count = 0;
    const send = async () => {
      if (count === 0) return;
      await sendCases(prompt, made?.id, { text, count });
      text = "";
      count = 0;
    };
    for await (const one of cases()) {
      text += `${JSON.stringify(one satisfies CaseInput)}\n`;
      count += 1;
      if (text.length > batch.bytes / 3 || count === batch.cases) await send();
    }
    await send();
    if (run.publish && visibility === "public" && there?.visibility === "private")
      await change(
        run,
        "datasets",
        () => run.client.evals.datasets.update({ id: there.id, body: { visibility } }),
        "opened",
      );
  });
}

async function findDataset({ run, ref }: PromptImport, name: string): Promise<Dataset | null> {
  const list = run.client.evals.datasets.list({ query: { prompt: ref, limit: 100 } });
  for await (const one of list) if (one.name === name) return one;
  return null;
}

async function sendCases(
  { run }: PromptImport,
  id: string | undefined,
  { text, count }: { text: string; count: number },
): Promise<void> {
  if (id === undefined) return tally(run, "cases", "created", count);
  const query = { mode: "append" as const, ...(run.isDryRun && { dryRun: true }) };
  const options = { contentType: "application/x-ndjson" as const };
  const { added, skipped } = await run.client.evals.datasets.import({ id, query, body: text }, options);
  tally(run, "cases", "created", added);
  tally(run, "cases", "there", skipped);
}

/** Brings an example of the account, unless the same is here. */
export async function bringExample(
  prompt: PromptImport,
  nth: number,
  { example, places }: Awaited<ReturnType<typeof readExample>>,
): Promise<void> {
  const { run, address } = prompt;
  if (!prompt.isOpen) return;
  await attempt(run, `example ${nth} of ${prompt.slug}`, async () => {
    const digests: string[] = [];
    for (const place of places) digests.push(await sha256Of(place));
    if (prompt.isThere && (await isThere(prompt, nameOf(example, digests))))
      return tally(run, "examples", "there");
    await change(run, "examples", async () => {
      const mediaIds: string[] = [];
      for (const place of places)
        mediaIds.push((await sendReady(run.client, place, {}, Number.POSITIVE_INFINITY)).mediaId);
      const { media: _, status: __, createdAt: ___, ...about } = example;
      const body = { ...about, mediaIds };
      return createOnce(
        [run.head.id, "example", prompt.slug, body],
        (options) => run.client.examples.create({ ...address, body }, options),
        ({ id }) => run.client.examples.get({ ...address, id }).catch(absent),
      );
    });
  });
}

/** Two examples that say the same have the same name. */
const nameOf = (
  one: Omit<ExampleRecord, "media" | "status" | "createdAt">,
  digests: readonly string[],
): string => {
  const { versionNumber = null, title = null, model = null, variables = {}, input = null } = one;
  const { output = null, note = null } = one;
  return JSON.stringify([versionNumber, title, model, variables, input, output, note, digests]);
};

async function isThere({ run, address }: PromptImport, name: string): Promise<boolean> {
  for await (const one of run.client.examples.list({ ...address, query: { limit: 100 } }))
    if (one.author.handle === run.me.handle && nameOf(one, await digestsOf(run.client, one)) === name)
      return true;
  return false;
}

/** Pictures are written anew: what was sent is told by its own digest. */
async function digestsOf(client: PromptImport["run"]["client"], { media }: Example): Promise<string[]> {
  const digests: string[] = [];
  for (const { id } of media) digests.push((await client.media.get({ id })).sent?.sha256 ?? "");
  return digests;
}
