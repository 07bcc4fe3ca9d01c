import { cell, countOf, quoted } from "../terminal/text.ts";
import { type MetadataDiff, refOf } from "../prompts/index.ts";
import type { Client } from "../requests/client.ts";
import { ApiError } from "@promptreg/core/errors";
import { eachConcurrently } from "../requests/concurrently.ts";
import type { Context } from "../settings/context.ts";
import { Interrupted } from "../errors.ts";
import { countsOf } from "../terminal/diff.ts";
import type { Output } from "../terminal/output.ts";
import { findBase, yankedAs, yankedText } from "./compare/base.ts";
import { compareWithLatest } from "./compare/latest.ts";
import { findFolders, placesOr } from "./local/find-folders.ts";
import { accountOf } from "./compare/account.ts";
import { locate, type LocatedPrompt, readPrompts } from "./compare/locate.ts";
import { diffMetadata } from "./compare/metadata.ts";
import type { FindRemote } from "./compare/remote.ts";
import { newestVersions } from "./compare/find-version.ts";
import { type NewerSource, newerSource } from "./compare/newer-source.ts";
import { gatherResults } from "./results.ts";
import { createSelection } from "./local/selection.ts";
import { reportRefused } from "./push/report.ts";
import { originOf } from "../settings/profiles.ts";

/** How a folder stands to the registry. */
interface Standing {
  folder: string;
  ref: string;
  /**
   * `edited`: another manifest with the same files; `diverged`: changed here, since a version that is no longer the newest;
   * `unseen`: somebody else's, and not there or not for this account.
   */
  status:
    | "unchanged"
    | "edited"
    | "changed"
    | "behind"
    | "diverged"
    | "yanked"
    | "new"
    | "unseen"
    | "deleted";
  /** The version that the folder is, or was changed from; null where nothing tells. */
  version: number | null;
  latest: number | null;
  /** What was changed here against the latest version. */
  additions: number;
  deletions: number;
  /** Why the version that the folder is was yanked, or whose token does not see it, as a sentence. */
  remark?: string;
  /** Of a fork, if its source has a newer version. */
  source: NewerSource | null;
  /** How the manifest differs from what the registry says beside the files. */
  about: MetadataDiff;
}

/** The exit code is that of the first folder that could not be compared. */
export async function status(
  { connectForMany, destination, holdInterrupts, output }: Context,
  places: readonly string[] = [],
): Promise<number> {
  const folders = await findFolders(placesOr(places));
  const results = gatherResults<Standing>(folders);
  const { refuse } = results;
  const selection = createSelection(folders, output.note);
  const prompts = await readPrompts(folders, { isThorough: false, selection }, refuse);
  const { client, waiting } = await connectForMany();
  const stop = holdInterrupts();
  const origin = originOf((await destination()).url);
  let count = 0;
  const progress = output.progress(() => `${count} of ${folders.length} prompts${waiting()}`);
  const account = accountOf(client);
  const { located, find } = await locate(client, prompts, account, { refuse });
  const compare = async (one: LocatedPrompt) => {
    try {
      results.done(await statusOf(client, one, { find, origin, account }));
    } catch (error) {
      refuse(one.local.folder, error, refOf(one.address));
    }
    count += 1;
  };
  await eachConcurrently(located, compare, stop).finally(progress.end);
  if (stop.aborted)
    throw new Interrupted(`Stopped: ${count} of ${countOf(folders.length, "prompt")} compared.`);
  const all = results.soFar();
  const standing = all.filter((one) => one.status !== "refused");
  const unchanged = standing.filter(({ status, source }) => status === "unchanged" && source === null);
  const areFew = unchanged.length <= 5;
  const shown = areFew ? standing : standing.filter((one) => !unchanged.includes(one));
  output.result({ results: all }, () => asText(shown, output));
  if (!areFew && !output.isJson) output.note(`${countOf(unchanged.length, "prompt")} unchanged`);
  reportRefused(all, folders.length, output);
  return results.exitCode();
}

async function statusOf(
  client: Client,
  { local, address }: LocatedPrompt,
  { find, origin, account }: { find: FindRemote; origin: string; account: () => Promise<string> },
): Promise<Standing> {
  const { folder, contentHash } = local;
  const none = {
    folder,
    ref: refOf(address),
    version: null,
    latest: null,
    additions: 0,
    deletions: 0,
    source: null,
    about: nothing,
  };
  const remote = await find(address).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === "gone") return undefined;
    throw error;
  });
  if (remote === undefined) return { ...none, status: "deleted" };
  if (remote === null) {
    const handle = await account();
    if (handle === address.owner) return { ...none, status: "new" };
    const remark = `${address.owner}'s; ${handle} may not see it, or it does not exist`;
    return { ...none, status: "unseen", remark };
  }
  const about = await diffMetadata(local, remote, origin);
  const latest = remote.latest?.n ?? null;
  const source = await newerSource(client, local, remote, origin);
  const known = { ...none, ref: remote.ref, latest, source, about };
  if (remote.latest?.contentHash === contentHash)
    return { ...known, status: differing(about).length > 0 ? "edited" : "unchanged", version: latest };
  const versions = await newestVersions(client, remote);
  if (versions.length === 0) return { ...none, status: "new" };
  const yanked = yankedAs(local, versions);
  if (yanked !== null)
    return { ...known, status: "yanked", version: yanked.n, remark: `is ${yankedText(yanked)}` };
  const base = await findBase(client, local, remote, { origin, versions });
  const version = base?.version ?? null;
  const isBehind = version !== null && version < (latest ?? 0);
  if (isBehind && base?.by === "content") return { ...known, status: "behind", version };
  const { additions = 0, deletions = 0 } = (await compareWithLatest(client, local, remote))?.stats ?? {};
  return { ...known, status: isBehind ? "diverged" : "changed", version, additions, deletions };
}

const nothing: MetadataDiff = { ours: {}, theirs: [], both: [] };
const differing = ({ ours, theirs, both }: MetadataDiff) => [...Object.keys(ours), ...theirs, ...both];

function asText(results: readonly Standing[], output: Output): string {
  const { bold, dim, green, yellow, red } = output.colors;
  const paint = {
    unchanged: dim,
    edited: green,
    changed: green,
    behind: yellow,
    diverged: red,
    yanked: red,
    new: green,
    unseen: yellow,
    deleted: red,
  };
  const rows = results.map((one) => [
    bold(cell(one.folder)),
    cell(one.ref),
    paint[one.status](wordsOf(one)) + metadataText(one.about) + sourceText(one),
  ]);
  return output.table(["folder", "prompt", "status"], rows);
}

function wordsOf({ status, version, latest, additions, deletions, remark = "" }: Standing): string {
  const counts = countsOf({ stats: { files: 0, additions, deletions } });
  const since = version === null ? "" : ` since version ${version}`;
  return {
    unchanged: `unchanged at version ${latest}`,
    edited: `the files of version ${latest}`,
    changed: `changed here${since}, ${counts}${version === null ? `; the base version is unknown, the registry has ${latest ?? "none that is not yanked"}` : ""}`,
    behind: `is version ${version}; the registry has ${latest}`,
    diverged: `changed here since version ${version}, and the registry has ${latest}, ${counts}`,
    yanked: remark,
    new: "not in the registry yet",
    unseen: remark,
    deleted: "deleted in the registry",
  }[status];
}

const sourceText = ({ source, folder }: Standing) =>
  source === null
    ? ""
    : `; ${cell(source.ref)} has version ${source.latest}, merged is ${source.merged}: promptreg fork sync ${quoted(folder)}`;

/** Which fields of the manifest were changed, and where. */
function metadataText({ ours, theirs, both }: MetadataDiff): string {
  const words = {
    "changed here": Object.keys(ours),
    "changed in the registry": theirs,
    "changed on both sides": both,
  };
  return Object.entries(words)
    .map(([what, fields]) => (fields.length === 0 ? "" : `; ${fields.join(", ")} ${what}`))
    .join("");
}
