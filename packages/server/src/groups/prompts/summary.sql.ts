import type { Prompt, PromptCounts, PromptSummary } from "@promptreg/core";
import { columns, type Fields, object, type Piece, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { countsOf } from "../../kernel/changes/counters.ts";
import { userRef } from "../../kernel/accounts/accounts.ts";
import { forkedFrom } from "./fork.sql.ts";
import { callerSeesBeside, ownedBy, seesBeside } from "../../kernel/accounts/ownership.ts";

/** Who reads a prompt, and where its addresses begin. */
export interface Viewing {
  caller: Pick<Caller, "id" | "role" | "restriction"> | null;
  publicUrl: string;
}

interface Viewer {
  viewerId: Fragment | string | null;
}
const viewerId = (_: Sql, { viewerId }: Viewer) => viewerId;
type Common = Omit<Prompt, "version" | "resolvedBy">;

/** What every answer about a prompt shows, from `prompts p` joined with `users o`. */
const forAnyone: Fields<Omit<Common, "viewer">, Viewing> = {
  id: "p.id",
  ref: "o.handle || '/' || p.slug",
  url: piece<Viewing>`${(_, { publicUrl }) => publicUrl} || '/' || o.handle || '/' || p.slug`,
  owner: userRef("o.id"),
  slug: "p.slug",
  kind: "p.kind",
  title: "p.title",
  summary: "p.summary",
  tags: "p.tags",
  license: "p.license",
  visibility: "p.visibility",
  rating: "p.rating",
  status: "p.status",
  latestVersion: "p.latest_version",
  labels: `coalesce(
    (select json_object_agg(l.name, l.version_n order by l.name) from labels l where l.prompt_id = p.id), '{}')`,
  forkedFrom: forkedFrom<Viewing>((_, { caller }) => seesBeside(caller)),
  counts: countsOf<PromptCounts>("p.id", {
    stars: true,
    forks: true,
    watchers: true,
    makes: true,
    examples: true,
    comments: true,
    downloads: true,
    installs: true,
    openChangeRequests: true,
  }),
  createdAt: "iso(p.created_at)",
  updatedAt: "iso(p.updated_at)",
  publishedAt: "iso(p.published_at)",
};

/** What an account has done with `prompts p`, by the field of `viewer` that shows it. */
const relations = {
  starred: piece<Viewer>`exists (select from stars s where s.prompt_id = p.id and s.user_id = ${viewerId})`,
  watchLevel: piece<Viewer>`(select w.level from watches w where w.prompt_id = p.id and w.user_id = ${viewerId})`,
};

/** What the caller of a read is shown of `prompts p` that its revision does not tell: ETags are made of it. */
export const viewerState = object<Record<keyof typeof relations | "forkedFrom", unknown>, Viewer>({
  ...relations,
  forkedFrom: forkedFrom(callerSeesBeside),
});

const asViewer = ({ caller }: Viewing): Viewer => ({ viewerId: caller?.id ?? null });
const isOwner = ownedBy<Viewing>((_, { caller }) => caller?.id);

const forCaller: Fields<Common, Viewing> = {
  ...forAnyone,
  viewer: {
    isOwner,
    starred: (sql, viewing) => relations.starred(sql, asViewer(viewing)),
    watchLevel: piece<Viewing>`coalesce(${(sql, viewing) => relations.watchLevel(sql, asViewer(viewing))},
      case when ${isOwner} then 'all' end)`,
    canEdit: piece<Viewing>`${isOwner} or ${(_, { caller }) => caller?.role === "admin"}`,
    canFork: "p.latest_version is not null",
  },
};

const latest = `(
  select json_build_object('n', v.n, 'contentHash', v.content_hash) from versions v
  where v.prompt_id = p.id and v.n = p.latest_version)`;

const printed = (fields: Piece<Viewing>) => piece<Viewing>`
  (select row_to_json(printed) from (select ${fields}) printed)`;

const fieldsFor = {
  anyone: columns<Common, Viewing>(forAnyone),
  caller: columns<Common, Viewing>(forCaller),
};
const summaryFor = {
  anyone: printed(columns<PromptSummary, Viewing>({ ...forAnyone, latest })),
  caller: printed(columns<PromptSummary, Viewing>({ ...forCaller, latest })),
};

/** What every answer about a prompt shows, as columns from `prompts p` joined with `users o`. */
export const promptFields = (sql: Sql, viewing: Viewing): Fragment =>
  fieldsFor[viewing.caller ? "caller" : "anyone"](sql, viewing);

/** The JSON of a prompt as lists show it, from `prompts p` joined with `users o`. */
export const promptSummary = (sql: Sql, viewing: Viewing): Fragment =>
  summaryFor[viewing.caller ? "caller" : "anyone"](sql, viewing);
