import { type LinkPrompt, limits } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { parseRef } from "@promptreg/core/refs";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { owns } from "../../kernel/accounts/ownership.ts";
import { lockTarget } from "../../kernel/targets/load.ts";
import { hasNo, type PromptRow, promptTarget } from "../prompts/index.ts";
import { type AddressedPrompt, countLinks, insertLink, selectPresent } from "./links.sql.ts";
import type { MakeRow } from "./target.ts";

/** A locked prompt, and how a make links to it. */
export interface Found extends Pick<LinkPrompt, "versionNumber" | "note"> {
  prompt: PromptRow;
}

/**
 * Finds the prompts that somebody names, by their present or former addresses, and locks them.
 * @throws {ApiError} `not_found` if the caller cannot see one.
 */
export async function findPrompts(sql: Sql, caller: Caller, wanted: readonly LinkPrompt[]): Promise<Found[]> {
  const addressed: (LinkPrompt & AddressedPrompt)[] = [];
  for (const one of wanted) {
    const address = await selectPresent(sql, parseRef(one.prompt));
    if (address === null) throw missing(one.prompt);
    addressed.push({ ...one, ...address });
  }
  const found = await lockPrompts(sql, caller, addressed);
  const lost = addressed.find(({ id }) => !found.some(({ prompt }) => prompt.id === id));
  if (lost) throw missing(lost.prompt);
  return found;
}

/** Locks prompts in the order in which others lock them, and leaves out those that the caller cannot see. They keep their order. */
export async function lockPrompts<Wanted extends AddressedPrompt>(
  sql: Sql,
  caller: Caller,
  wanted: readonly Wanted[],
): Promise<(Omit<Wanted, "prompt"> & { prompt: PromptRow })[]> {
  const locked = new Map<string, PromptRow>();
  for (const one of wanted.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const prompt = await lockTarget(sql, promptTarget, one);
    // What a moderator sees beyond others is not to take part in.
    const viewer = { ...caller, role: "user" as const };
    if (prompt && promptTarget.visibility(prompt, viewer) === "visible") locked.set(one.id, prompt);
  }
  return wanted.flatMap((one) => {
    const prompt = locked.get(one.id);
    return prompt === undefined ? [] : [{ ...one, prompt }];
  });
}

const missing = (ref: string) =>
  apiError("not_found", { message: `There is no prompt ${ref} that you can see.` });

/**
 * Links a locked make to a version of a locked prompt. A link to the maker's own prompt is approved at once.
 * @throws {ApiError} `link_exists`, `not_found`, `prompt_not_published`, `version_yanked` or `quota_exceeded`.
 */
export async function link(sql: Sql, make: MakeRow, { prompt, versionNumber, note }: Found): Promise<string> {
  const n = versionNumber ?? prompt.latestVersion;
  if (prompt.status === "draft") throw apiError("prompt_not_published");
  if (n === null)
    throw apiError("version_yanked", {
      message: "Every version of it was yanked. Name the one that you used.",
    });
  // Versions have no gaps.
  if (n > prompt.lastVersion) throw hasNo(prompt, `version ${n}`);
  if ((await countLinks(sql, make.id)) >= limits.linksPerMake) {
    throw apiError("quota_exceeded", {
      message: `A make can link to ${limits.linksPerMake} prompts, with those that you cannot see any more.`,
    });
  }
  const id = await insertLink(sql, {
    makeId: make.id,
    prompt,
    versionNumber: n,
    note: note ?? null,
    approvedBy: owns({ id: make.ownerId }, prompt) ? make.ownerId : null,
  });
  if (id === null) throw apiError("link_exists");
  return id;
}
