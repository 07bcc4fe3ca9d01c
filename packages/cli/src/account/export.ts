import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Me } from "@promptreg/client";
import { type AccountHead, accountFormat } from "@promptreg/core/account";
import { recoverRuns } from "../disk/recover.ts";
import { makeScratch } from "../disk/scratch.ts";
import { isThere, writeWhole } from "../disk/write-whole.ts";
import { Interrupted, UsageError } from "../errors.ts";
import { answerMs, createRateLimitFetch, uploadMs } from "../requests/rate-limits.ts";
import { missingReadScope } from "../requests/unseen.ts";
import type { Context } from "../settings/context.ts";
import { cell, counted, countOf, sizeOf } from "../terminal/text.ts";
import { commentEntries } from "./export/comments.ts";
import { type Entries, jsonEntry, Spool, tarGz } from "./export/entries.ts";
import { makeEntries } from "./export/makes.ts";
import { collectionEntries, starEntries, watchEntries } from "./export/others.ts";
import { postEntries, seriesEntries } from "./export/posts.ts";
import { promptEntries } from "./export/prompts.ts";
import { type Exporting, persistently } from "./export/run.ts";

/** Only its owner may read it: much of it is private. */
const ownerOnly = 0o600;

export async function exportAccount(context: Context, name: string | undefined): Promise<void> {
  const { confirm, destination, holdInterrupts, output } = context;
  if (name === "-")
    throw new UsageError(
      "An archive does not go to standard output, since it is written as a whole or not at all. Name a file, such as ada.tar.gz.",
    );
  const signal = holdInterrupts();
  const { client, waiting } = await context.connectForMany();
  const me = await client.users.me.get();
  if (!me.token.scopes.includes("read")) throw missingReadScope();
  const file = name ?? `${me.handle}.promptreg.tar.gz`;
  // Before minutes of work.
  await isThere(file);
  for (const text of await recoverRuns(dirname(file))) output.note(text);
  const folder = await makeScratch();
  const leftOut: { what: string; why: string }[] = [];
  const { fetch } = createRateLimitFetch(context.fetch, () => signal, answerMs);
  const run: Exporting = {
    client,
    me,
    spool: new Spool(folder),
    get: (url) =>
      persistently(() => {
        const end = AbortSignal.any([signal, AbortSignal.timeout(uploadMs)]);
        return fetch(url, { signal: end, headers: { "user-agent": "promptreg" } });
      }),
    counts: {},
    leaveOut: (what, why) => leftOut.push({ what, why }),
  };
  let bytes = 0;
  const total = me.quotas.prompts.used;
  const progress = output.progress(() => {
    const { prompts = 0, versions = 0, posts = 0, makes = 0 } = run.counts;
    return `exported: ${prompts} of ${countOf(total, "prompt")}, ${countOf(versions, "version")}, ${countOf(posts, "post")}, ${countOf(makes, "make")}, ${sizeOf(bytes)}${waiting()}`;
  });
  async function* chunks() {
    const head = headOf(me, (await destination()).url);
    for await (const chunk of tarGz(entriesOf(run, head, leftOut))) {
      signal.throwIfAborted();
      bytes += chunk.length;
      yield chunk;
    }
  }
  try {
    const agree = async () => {
      progress.end();
      if (await isThere(file)) await confirm(`Overwrite ${cell(file)}?`);
    };
    await writeWhole(file, chunks(), agree, ownerOnly);
  } catch (error) {
    throw signal.aborted ? new Interrupted("Stopped. Nothing was written.") : error;
  } finally {
    progress.end();
    await rm(folder, { recursive: true, force: true });
  }
  const { counts } = run;
  output.result({ file, bytes, counts, leftOut }, () => {
    const sums = Object.entries(counts).map(([things, count]) => counted(count, things));
    return `${output.colors.bold(cell(file))}: ${sums.join(", ") || "the account has nothing yet"} ${output.colors.dim(`(${sizeOf(bytes)})`)}`;
  });
  if (output.isJson) return;
  for (const { what, why } of leftOut) output.note(`Left out: ${what}: ${why}.`);
  output.note(
    "Not in it: examples on what others made, stars of makes and votes, which the registry does not list; eval runs, contests, webhooks and tokens.",
  );
}

const headOf = ({ handle, name, bio, website, quotas }: Me, server: string): AccountHead => ({
  format: accountFormat.format,
  formatVersion: accountFormat.version,
  id: randomUUID(),
  exportedAt: new Date().toISOString(),
  server,
  account: { handle, name, bio, website },
  counts: { prompts: quotas.prompts.used, posts: quotas.posts.used, makes: quotas.makes.used },
});

/** All of the archive, in the order in which an import reads it. The last file says that it is whole. */
async function* entriesOf(run: Exporting, head: AccountHead, leftOut: readonly object[]): Entries {
  yield jsonEntry(accountFormat.file, head);
  yield* promptEntries(run);
  yield* seriesEntries(run);
  yield* postEntries(run);
  yield* makeEntries(run);
  yield* collectionEntries(run);
  yield* commentEntries(run);
  yield* starEntries(run);
  yield* watchEntries(run);
  yield jsonEntry("left-out.json", leftOut);
}
