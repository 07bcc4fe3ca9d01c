import { parseRef } from "@promptreg/core/refs";
import type { TargetKind } from "../../kernel/target.ts";
import { hasNo, isAt, type PromptRow, promptColumns, promptTarget } from "./target.ts";
import { isKnownToCaller } from "./visibility.sql.ts";
import { owns } from "../../kernel/accounts/ownership.ts";

/** A version with its prompt, which decides who can see it. */
export interface VersionRow {
  prompt: PromptRow;
  revision: string;
  n: number;
  /** False: the prompt has no such version. */
  exists: boolean;
  /** The role in which it was yanked; null if it is not yanked. */
  yankedAs: "owner" | "moderator" | null;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    version: VersionRow;
  }
}

export interface VersionAddress {
  owner: string;
  slug: string;
  n: number;
}

export const versionTarget: TargetKind<VersionRow, VersionAddress> = {
  parse(text) {
    const { owner, slug, version } = parseRef(text);
    if (version === undefined) throw new SyntaxError(`"${text}" names no version`);
    return { owner, slug, n: version };
  },
  alias: "p",
  // Versions change under the lock of their prompt. Only a statement that starts under the lock sees their latest state.
  lockFirst: (sql, address) => [sql`select from prompts p where ${isAt(sql, address)} for no key update`],
  from: (sql, { n, ...address }) => sql`
    from prompts p join users o on o.id = p.owner_id cross join (select ${n}::int as n) asked
      left join lateral (select * from versions where prompt_id = p.id and n = asked.n offset 0) v on true
    where ${isAt(sql, address)}`,
  columns: (sql) => sql`
    (select row_to_json(q) from (select ${promptColumns(sql)}) q) as prompt, p.revision::text, asked.n,
    v.id is not null as exists,
    case when v.yanked_at is not null then case when v.yanked_as_moderator then 'moderator' else 'owner' end end
      as "yankedAs"`,
  lockedBy: ({ prompt }) => `prompt ${prompt.id}`,
  isKnown: isKnownToCaller,
  whereNow: (sql, address, viewer) => promptTarget.whereNow(sql, address, viewer),

  visibility({ prompt, n, exists }, caller) {
    const visibility = promptTarget.visibility(prompt, caller);
    return visibility === "visible" && !exists ? hasNo(prompt, `version ${n}`) : visibility;
  },

  roles({ prompt, yankedAs }, caller) {
    const isOwner = owns(caller, prompt);
    // Moderators act as owners on their own prompts.
    const acting = isOwner ? "owner" : caller.role === "user" ? undefined : "moderator";
    const isYanker = acting !== undefined && (yankedAs ?? acting) === acting;
    return [...(isOwner ? ["owner"] : []), ...(isYanker ? ["yanker"] : [])];
  },
};
