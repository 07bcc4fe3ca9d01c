import type { PromptRecord } from "@promptreg/core/account";
import { change, type Importing, tally } from "./run.ts";

/** A version that is here. */
export interface Present {
  contentHash: string;
  isYanked: boolean;
}

/** A prompt whose versions are being brought. */
interface Yanking {
  run: Importing;
  address: { owner: string; slug: string };
  record: PromptRecord;
  /** By number, from 1. */
  versions: Present[];
}

/**
 * The registry refuses a version that equals the latest one. In the archive it does, where the one before was yanked at that time: so that is
 * yanked here as well, for the time being.
 */
export async function yankFor(prompt: Yanking, contentHash: string): Promise<void> {
  const { run, address, record, versions } = prompt;
  for (let n = versions.length; n > 0; n -= 1) {
    const version = versions[n - 1];
    if (version === undefined || version.isYanked) continue;
    if (version.contentHash !== contentHash) return;
    const body = { reason: record.versions[n - 1]?.yanked?.reason };
    if (!run.isDryRun) await run.client.prompts.versions.yank({ ...address, n, body });
    version.isYanked = true;
  }
}

/** Yanks what is yanked in the archive, and takes back what was yanked for the time being, also by a run that broke off. */
export async function sendYanks(prompt: Yanking): Promise<void> {
  const { run, address, record, versions } = prompt;
  for (const { n, yanked } of record.versions) {
    const version = versions[n - 1];
    if (version === undefined) continue;
    const isForNow = record.versions.some(
      (later) => later.n > n && later.contentHash === version.contentHash,
    );
    if (yanked === null && version.isYanked && isForNow && !run.isDryRun)
      await run.client.prompts.versions.unyank({ ...address, n });
    if (yanked === null) continue;
    const body = { reason: yanked.reason };
    if (version.isYanked) tally(run, "yanks", "there");
    else await change(run, "yanks", () => run.client.prompts.versions.yank({ ...address, n, body }));
  }
}
