import { join } from "node:path";
import { ApiError } from "@promptreg/core/errors";
import type { Me } from "@promptreg/client";
import type { AccountHead } from "@promptreg/core/account";
import { advise, InputError } from "../../errors.ts";
import type { Client } from "../../requests/client.ts";

/** What happened to things of a kind. */
export interface Tally {
  created: number;
  /** They are there already. */
  there: number;
  /** Made readable to others, or given to moderators. */
  opened: number;
}

/** What the parts of an import share. */
export interface Importing {
  client: Client;
  me: Me;
  head: AccountHead;
  /** Slugs of the makes and ids of the posts in the archive. */
  own: Set<string>;
  /** The folder into which parts are unpacked. */
  scratch: string;
  /** Makes readable to others what they could read before. */
  publish: boolean;
  isDryRun: boolean;
  /** Of each kind of thing. */
  tallies: Record<string, Tally>;
  leftOut: { what: string; why: string }[];
  /** Whether something of the archive could not have its place, because something else has it. */
  hasTaken: boolean;
  /** The ids of posts and series here, by those in the archive; null for one that would be created. */
  ids: Map<string, string | null>;
  /** Slugs of prompts and makes that are something else here. */
  taken: { prompts: Set<string>; makes: Set<string> };
  /** Slugs of prompts and makes that are here now, or would be. */
  brought: { prompts: Set<string>; makes: Set<string> };
  /** What can be commented on here: makes by their slugs and posts by their ids in the archive, that are no drafts. */
  published: Set<string>;
  /**
   * What others can read here and may get nothing more, as `prompt:<slug>`, `make:<slug>` and `post:<id>` of the archive: without
   * `publish`, and if others could not read it where the archive comes from.
   */
  closed: Set<string>;
  /** Says what is worked on. */
  doing: (what: string) => void;
}

export function tally({ tallies }: Importing, kind: string, what: keyof Tally, by = 1): void {
  const counted = (tallies[kind] ??= { created: 0, there: 0, opened: 0 });
  counted[what] += by;
}

export const leaveOut = ({ leftOut }: Importing, what: string, why: string): void => {
  leftOut.push({ what, why });
};

/** Leaves out what something else has the place of. */
export function leaveTaken(run: Importing, what: string, why: string): void {
  run.hasTaken = true;
  leaveOut(run, what, why);
}

/** Creates or changes something, unless it is only shown what would happen. */
export async function change<Result>(
  run: Importing,
  kind: string,
  act: () => Promise<Result>,
  what: "created" | "opened" = "created",
): Promise<Result | undefined> {
  const done = run.isDryRun ? undefined : await act();
  tally(run, kind, what);
  return done;
}

/** Refusals of the caller and of the moment: what follows would be refused as well. */
const ends = ["unauthenticated", "invalid_token", "token_scope", "account_suspended", "rate_limited"];

/**
 * Works on one thing of several. If the registry refuses it, it is left out, and the others go on.
 * @returns undefined if it was refused.
 */
export async function attempt<Result>(
  run: Importing,
  what: string,
  act: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await act();
  } catch (error) {
    const isOfApi = error instanceof ApiError && error.status < 500 && !ends.includes(error.code);
    if (!isOfApi && !(error instanceof InputError)) throw advise(error as Error, again);
    const [detail] = error.details;
    const more = detail && !error.message.includes(detail.message) ? ` (${detail.message})` : "";
    if ((error as { code?: unknown }).code === "slug_taken") run.hasTaken = true;
    // Where it lies for the moment says nothing.
    const said = error.message.replaceAll(join(run.scratch, "unit", "/"), "").replace(/\.$/, "");
    leaveOut(run, what, `${said}${more}`);
    return undefined;
  }
}
const again = "Run it again to go on.";

/** Why what others can read here gets nothing more. */
export const whyClosed = ({ publish }: Importing): string =>
  publish
    ? "others can read it here, and could not where the archive comes from"
    : "others can read it here: --publish adds to it";

/** An address of the archive as it is here: what was the account's own is the caller's. */
export function refHere(
  { head, me }: Importing,
  ref: string,
): { owner: string; slug: string; isOwn: boolean } {
  const [owner = "", slug = ""] = ref.split("/");
  const isOwn = owner === head.account.handle;
  return { owner: isOwn ? me.handle : owner, slug, isOwn };
}
