import { join } from "node:path";
import type { VersionSummary } from "@promptreg/client";
import type { Client } from "../../requests/client.ts";
import { type ApiError, apiError } from "@promptreg/core/errors";
import { UsageError } from "../../errors.ts";
import { findVersion, newestVersions, type Place } from "./find-version.ts";
import { type Manifest, readManifest } from "../local/manifest.ts";
import type { LocalPrompt } from "../local/read-prompt.ts";
import type { Remote } from "./remote.ts";
import { type State, stateOf } from "../local/state.ts";
import { versionStillThere } from "./undone-pull.ts";
import { historyInGit, isShallow, versionOn } from "./version-in-git.ts";
import { quoted } from "../../terminal/text.ts";

/** The version from which a folder was changed, and what tells so. */
export interface Base {
  version: number;
  by: "state" | "git" | "content";
}

/** `latest`, or the number of the version that is meant to be replaced. */
export type Onto = number | "latest";

/** A prompt in the registry, as far as a base is looked for. */
type Known = Place & Pick<Remote, "id" | "ref">;

/**
 * Finds the version that a folder came from. Files equal to an old version are that version; else it is the newest of
 * what was pulled or pushed here last and of what git's history leads through; null where nothing tells. A pull whose
 * files are gone again, as after `git restore`, counts as the version that it came from.
 */
export async function findBase(
  client: Client,
  local: Pick<LocalPrompt, "folder" | "isStateTrusted" | "contentHash" | "checked">,
  remote: Known,
  { origin, versions }: { origin: string; versions?: readonly VersionSummary[] },
): Promise<Base | null> {
  const { folder, contentHash } = local;
  const known = versions ?? (await newestVersions(client, remote));
  const state = await stateOf(local, origin, remote);
  const equal = known.find((one) => one.contentHash === contentHash);
  if (state?.isOld && equal === undefined) return { version: state.version, by: "state" };
  const history = await historyInGit(folder, "here", newestAlone(known));
  const inGit = versionOn(history, known);
  // Whoever committed old files after newer ones meant to go back; without that they are a checkout out of date.
  const isGoingBack = history[0] === contentHash && inGit !== null && inGit > (equal?.n ?? 0);
  if (equal !== undefined && !isGoingBack) return { version: equal.n, by: "content" };
  const noted = known.find(({ n }) => n === state?.version);
  if (state && state.version >= (inGit ?? 0)) {
    const stands = await versionStillThere(client, local, remote, sinceGit(state, inGit));
    if (stands !== null || !(await isElsewhere(folder, noted, history)))
      return { version: stands ?? state.version, by: "state" };
  }
  if (inGit !== null) return { version: inGit, by: "git" };
  const old = await findVersion(client, remote, contentHash);
  return old && { version: old.n, by: "content" };
}

/**
 * What a commit is to name as its base, so that nobody's version is undone unseen; undefined where there is none yet.
 * @throws {ApiError} `version_conflict` where the folder came from an older version, or nothing tells from which, or it
 * holds what was yanked. @throws {UsageError} where the version that is said is not there yet.
 */
export async function baseToName(
  client: Client,
  local: LocalPrompt,
  remote: Known,
  { origin, onto }: { origin: string; onto?: Onto | undefined },
): Promise<number | undefined> {
  const versions = await newestVersions(client, remote);
  const newest = versions[0]?.n;
  // What was yanked is nothing that could be undone, but the registry counts it.
  const latest = versions.find(({ yanked }) => yanked === null)?.n;
  const yanked = onto === undefined ? yankedAs(local, versions) : null;
  if (yanked !== null) throw stopYanked(local.folder, remote, { yanked, isAlone: latest === undefined });
  if (typeof onto === "number" && onto > (newest ?? 0))
    throw new UsageError(
      `--onto is version ${onto}, but the newest version of ${remote.ref} is ${newest ?? "none"}.`,
    );
  if (latest === undefined || onto === "latest") return newest;
  const base =
    onto === undefined ? await findBase(client, local, remote, { origin, versions }) : { version: onto };
  if (base !== null && base.version >= latest) return newest;
  throw await stop(local.folder, remote, { base, latest });
}

/** The yanked version that a folder equals, where it equals no other; null where there is none. */
export function yankedAs(
  { contentHash }: Pick<LocalPrompt, "contentHash">,
  versions: readonly VersionSummary[],
): VersionSummary | null {
  const equal = versions.filter((one) => one.contentHash === contentHash);
  return equal.every(({ yanked }) => yanked !== null) ? (equal[0] ?? null) : null;
}

/** `version 2, which was yanked: Leaks a name`. */
export const yankedText = ({ n, yanked }: Pick<VersionSummary, "n" | "yanked">): string =>
  `version ${n}, which was yanked${yanked?.reason ? `: ${yanked.reason}` : ""}`;

function stopYanked(
  folder: string,
  { ref }: Known,
  { yanked, isAlone }: { yanked: VersionSummary; isAlone: boolean },
): ApiError {
  const ways = [
    ...(isAlone ? [] : [`\`promptreg pull ${ref} --into ${quoted(folder)}\` writes the latest version`]),
    "`--onto latest` pushes it again",
  ];
  const why = `${folder} is ${yankedText(yanked)}`.replace(/[.?!]?$/, ".");
  return apiError("version_conflict", { message: `${why} ${ways.join("; ")}.` });
}

/** What is noted of pulls, less what is older than git's history tells. */
const sinceGit = ({ version, from = [] }: State, inGit: number | null) => ({
  version,
  from: from.filter((n) => n >= (inGit ?? 0) && n < version),
});

/** Says what is in the way of a push, and every way on. */
async function stop(
  folder: string,
  { ref }: Known,
  { base, latest }: { base: Partial<Base> | null; latest: number },
): Promise<ApiError> {
  const why =
    base === null
      ? `${ref} is at version ${latest}, and it is unknown which version ${folder} was changed from.`
      : `${ref} is at version ${latest}, but ${folder} is based on version ${base.version}. A push could undo newer changes.`;
  const { source } = await readManifest(folder).catch((): Partial<Manifest> => ({}));
  const ways = [
    source === undefined
      ? `\`promptreg pull ${ref} --into ${quoted(folder)}\` merges it`
      : `\`promptreg diff ${quoted(folder)}\` shows what differs, to be brought into ${join(folder, source)}`,
    `\`--onto ${latest}\` replaces version ${latest}, \`--onto latest\` replaces the newest`,
    ...(base?.by === "content"
      ? [`\`promptreg restore ${ref}@${base.version}\` makes the old version the newest`]
      : []),
    ...((await isShallow(folder))
      ? ["this clone is shallow; with its full history (fetch-depth: 0) git knows the version"]
      : []),
  ];
  return apiError("version_conflict", { message: `${why} ${ways.join("; ")}.` });
}

/** Where just one version has the content of the newest, git's history need not be read beyond it. */
function newestAlone([newest, ...older]: readonly VersionSummary[]): string | undefined {
  const hash = newest?.contentHash;
  return older.some(({ contentHash }) => contentHash === hash) ? undefined : hash;
}

/** Whether git has a version on another line than the one that is checked out: then the folder has left it. */
async function isElsewhere(
  folder: string,
  version: VersionSummary | undefined,
  history: readonly string[],
): Promise<boolean> {
  if (version === undefined || history.includes(version.contentHash)) return false;
  const others = await historyInGit(folder, "elsewhere", version.contentHash);
  return others.includes(version.contentHash);
}
