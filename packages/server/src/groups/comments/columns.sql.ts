import type { Comment, CommentTarget, Thread } from "@promptreg/core";
import { columns, type Fields, object, type Piece, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { accountRef, type Site, userRef } from "../../kernel/accounts/accounts.ts";
import { countsOf } from "../../kernel/changes/counters.ts";
import { htmlOf } from "../../kernel/markdown/rendered.ts";
import { promptById, type Viewing } from "../prompts/index.ts";

/** Who reads comments, and on what. */
export interface Reading extends Viewing {
  /** Where all of them stand; null if each stands elsewhere. */
  address: CommentTarget | null;
}

/** The accounts of a list of ids, in its order. */
const mentioned = piece<Site>`coalesce((
  select json_agg(person.json order by m.nth) from unnest(c.mentions) with ordinality m (id, nth)
    cross join lateral (select ${object(accountRef)} as json from users u where u.id = m.id offset 0) person
), '[]')`;

/** Where a comment stands, by its present address, which is SQL. */
const ownTarget = (address: Piece) => piece`json_build_object('type', case
  when c.target like '%@%' then 'version' when c.target like '%!%' then 'change_request' when c.prompt_id is not null then 'prompt'
  when c.target like 'mak%' then 'make' else 'post' end, 'id', ${address})`;
const ownAddress = piece`coalesce((
  select o.handle || '/' || p.slug || substr(c.target, length(p.id) + 1)
  from ${(sql) => promptById(sql, sql`c.prompt_id`)} p join users o on o.id = p.owner_id
), (select k.slug from (select * from makes where id = c.target offset 0) k), c.target)`;
const anyTarget = ownTarget(ownAddress);

/** A comment, from `comments c`. */
const forAnyone: Fields<Omit<Comment, "viewer">, Reading> = {
  id: "c.id",
  target: (sql, { address }) =>
    address === null ? anyTarget(sql) : sql`${JSON.stringify(address)}::text::json`,
  parentId: "c.parent_id",
  author: userRef("case when c.status <> 'deleted' then c.author_id end"),
  body: "c.body",
  html: htmlOf("c.body"),
  status: "c.status",
  editedAt: "iso(c.edited_at)",
  mentions: mentioned,
  votes: countsOf<Comment["votes"]>("c.id", { up: true, down: true }),
  createdAt: "iso(c.created_at)",
};

const viewerId = (_: Sql, { caller }: Reading) => caller?.id ?? null;
const isAuthor = piece<Reading>`c.author_id = ${viewerId}`;
const isModerator = (_: Sql, { caller }: Reading) => caller !== null && caller.role !== "user";

const viewer = {
  canEdit: piece<Reading>`${isAuthor} and c.status in ('visible', 'held') and c.created_at > clock() - interval '24 hours'`,
  canDelete: piece<Reading>`(${isAuthor} or ${isModerator}) and c.status <> 'deleted'`,
  canHide: piece<Reading>`${isModerator} and c.status in ('visible', 'held')`,
  vote: piece<Reading>`(select v.value from votes v where v.target_id = c.id and v.user_id = ${viewerId})`,
} satisfies Fields<NonNullable<Comment["viewer"]>, Reading>;

const printed = {
  anyone: columns<Comment, Reading>(forAnyone),
  caller: columns<Comment, Reading>({ ...forAnyone, viewer }),
  author: columns<Thread, Reading>({
    ...forAnyone,
    target: ownTarget(piece`case when s.is_seen then ${ownAddress} else c.target end`),
    viewer: {
      canEdit: piece<Reading>`s.is_seen and ${viewer.canEdit}`,
      canDelete: piece<Reading>`s.is_seen and ${viewer.canDelete}`,
      canHide: piece<Reading>`s.is_seen and ${viewer.canHide}`,
      vote: "null",
    },
    replyCount: "case when s.is_seen then c.reply_count else 0 end",
    replies: (sql) => sql`'[]'::json`,
  }),
};
/** The columns of a comment, from `comments c`. */
export const commentColumns = (sql: Sql, reading: Reading): Fragment =>
  printed[reading.caller ? "caller" : "anyone"](sql, reading);

/** The columns of a thread, from `comments c` and the ids of its first replies, which are SQL. */
export const threadColumns = (sql: Sql, reading: Reading, replyIds: Fragment): Fragment => sql`
  ${commentColumns(sql, reading)}, c.reply_count as "replyCount", coalesce((
    select json_agg(reply order by reply.id) from (
      select ${commentColumns(sql, reading)} from unnest(${replyIds}) wanted (id)
        cross join lateral (select * from comments where id = wanted.id offset 0) c
    ) reply
  ), '[]') as replies`;

/** The columns of a comment of the caller's own, from `comments c` and from `s`, which says whether they see what it is on. */
export const authorColumns = (sql: Sql, reading: Reading): Fragment => printed.author(sql, reading);
