import type { ChangeRequest } from "@promptreg/core";
import { columns, type Fields, type Part, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { userRef } from "../../kernel/accounts/accounts.ts";
import { htmlOf } from "../../kernel/markdown/rendered.ts";
import type { Viewing } from "../prompts/index.ts";
import { callerSeesBeside, ownedBy, privateSeenBy, seesBeside } from "../../kernel/accounts/ownership.ts";

/** Change requests `c` with their target `p` of owner `o`, and their source `s` of owner `so`. */
export const requestTables = piece`
  change_requests c join prompts p on p.id = c.target_id join users o on o.id = p.owner_id
    join prompts s on s.id = c.source_id join users so on so.id = s.owner_id`;

/** Whether the proposed version can be merged. */
export const isAvailable = piece`(s.deleted_at is null and not exists (
  select from versions v where v.prompt_id = c.source_id and v.n = c.source_n and v.yanked_at is not null))`;

/** The address of the source, for those who may know it. */
const sourceRef = <Given>(viewerId: Part<Given>) => piece<Given>`
  case when s.deleted_at is null and (s.visibility = 'public' or ${privateSeenBy(viewerId, "s")})
    then so.handle || '/' || s.slug end`;

const hasOtherOpen = `exists (select from change_requests t where t.source_id = c.source_id and t.state = 'open')`;

/** What responses about a change request show, except what its files say. */
type Printed = Omit<ChangeRequest, "mergeable" | "conflicts">;

const viewerId = (_: Sql, { caller }: Viewing) => caller?.id ?? null;

const forAnyone: Fields<Omit<Printed, "viewer">, Viewing> = {
  n: "c.n",
  url: piece<Viewing>`
    ${(_, { publicUrl }) => publicUrl} || '/api/v1/prompts/' || o.handle || '/' || p.slug || '/change-requests/' || c.n`,
  title: "c.title",
  body: "c.body",
  html: htmlOf("c.body"),
  state: "c.state",
  author: userRef("c.author_id"),
  target: {
    ref: "o.handle || '/' || p.slug",
    baseVersionNumber: "c.base_n",
    mergedVersionNumber: "c.merged_n",
  },
  source: { ref: sourceRef<Viewing>((_, { caller }) => seesBeside(caller)), versionNumber: "c.source_n" },
  stats: { files: "c.files", additions: "c.additions", deletions: "c.deletions" },
  createdAt: "iso(c.created_at)",
  updatedAt: "iso(c.updated_at)",
  closedAt: "iso(c.closed_at)",
  closedBy: userRef("c.closed_by"),
  mergedAt: "iso(c.merged_at)",
  mergedBy: userRef("c.merged_by"),
};

const isAuthor = piece<Viewing>`c.author_id = ${viewerId}`;
const isOwner = ownedBy<Viewing>(viewerId);
const isModerator = (_: Sql, { caller }: Viewing) => caller !== null && caller.role !== "user";
const mayClose = piece<Viewing>`(${isAuthor} or ${isOwner} or ${isModerator})`;

const printedForAnyone = columns<Printed, Viewing>(forAnyone);
const printedForCaller = columns<Printed, Viewing>({
  ...forAnyone,
  viewer: {
    canEdit: piece<Viewing>`${isAuthor} and c.state <> 'merged'`,
    canClose: piece<Viewing>`${mayClose} and c.state = 'open'`,
    canReopen: piece<Viewing>`${mayClose} and c.state = 'closed' and not ${hasOtherOpen}`,
    canMerge: piece<Viewing>`${isOwner} and c.state = 'open' and ${isAvailable}`,
  },
});

/** The columns of a change request, from `requestTables`. */
export const requestColumns = (sql: Sql, viewing: Viewing): Fragment =>
  (viewing.caller ? printedForCaller : printedForAnyone)(sql, viewing);

const revisionOf = (id: string) => `(select u.revision from users u where u.id = ${id})`;

/** What the difference of a change request shows that can change without its revision, from `requestTables`. */
export const diffState = piece`json_build_array(p.last_version, p.latest_version, ${isAvailable})`;

/** What a change request shows to the caller of a read that can change without its revision, from `requestTables`. */
export const requestState = piece`
  json_build_array(o.handle, p.slug, p.latest_version, ${sourceRef(callerSeesBeside)},
    c.body_renderer, ${isAvailable}, ${hasOtherOpen}, ${revisionOf("c.author_id")}, ${revisionOf("c.closed_by")},
    ${revisionOf("c.merged_by")})`;
