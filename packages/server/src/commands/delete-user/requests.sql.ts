import type { OperationId } from "@promptreg/core";
import { piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";

/** Whose things go, and whether also what others can see. */
export interface Leaving {
  accountId: string;
  takesWorks: boolean;
}

/** Requests with which an account could itself delete what it has. */
interface Deletion {
  operation: OperationId;
  /** What people call it. */
  what: string;
  /** `params` and `query` of each request, as JSON. */
  rows(sql: Sql, leaving: Leaving): Fragment;
  body?: object;
}

const prompt = piece`json_build_object('owner', o.handle, 'slug', p.slug)`;
const isMoreThan = (sql: Sql, { takesWorks }: Leaving, hidden: Fragment) => (takesWorks ? sql`true` : hidden);

/**
 * What is deleted, in an order in which nothing stands in the way of what comes later: what is on things of others, works, and at
 * last the media that they showed.
 */
export const deletions: readonly Deletion[] = [
  {
    operation: "webhooks.delete",
    what: "webhooks",
    rows: (sql, { accountId }) => sql`
      select json_build_object('id', id) as params from webhooks where user_id = ${accountId} and deleted_at is null`,
  },
  {
    operation: "watch.delete",
    what: "watches",
    rows: (sql, { accountId }) => sql`
      select ${prompt(sql)} as params
      from watches w join prompts p on p.id = w.prompt_id join users o on o.id = p.owner_id where w.user_id = ${accountId}`,
  },
  {
    operation: "stars.prompts.remove",
    what: "stars of prompts",
    rows: (sql, { accountId }) => sql`
      select ${prompt(sql)} as params
      from stars s join prompts p on p.id = s.prompt_id join users o on o.id = p.owner_id where s.user_id = ${accountId}`,
  },
  {
    operation: "stars.makes.remove",
    what: "stars of makes",
    rows: (sql, { accountId }) => sql`
      select json_build_object('slug', k.slug) as params
      from make_stars s join makes k on k.id = s.make_id where s.user_id = ${accountId}`,
  },
  {
    operation: "votes.delete",
    what: "votes",
    rows: (sql, { accountId }) => sql`
      select json_build_object('target', case when starts_with(target_id, 'cmt_') then 'comment:' else 'post:' end || target_id)
        as query
      from votes where user_id = ${accountId}`,
  },
  {
    operation: "contests.entries.unvote",
    what: "votes in contests",
    rows: (sql, { accountId }) => sql`
      select json_build_object('slug', c.slug, 'id', v.entry_id) as params
      from contest_votes v join contests c on c.id = v.contest_id
      where v.user_id = ${accountId} and c.voting_closes_at > clock()`,
  },
  {
    operation: "contests.entries.delete",
    what: "entries in contests",
    rows: (sql, leaving) => sql`
      select json_build_object('slug', c.slug, 'id', e.id) as params
      from contest_entries e join contests c on c.id = e.contest_id
      where e.owner_id = ${leaving.accountId} and ${isMoreThan(sql, leaving, sql`false`)}
        and c.result_n is null and c.judging_closes_at > clock()`,
  },
  {
    operation: "comments.delete",
    what: "comments",
    rows: (sql, leaving) => sql`
      select json_build_object('id', id) as params from comments
      where author_id = ${leaving.accountId} and body is not null and ${isMoreThan(sql, leaving, sql`status = 'held'`)}`,
  },
  {
    operation: "examples.delete",
    what: "examples",
    rows: (sql, leaving) => sql`
      select json_build_object('owner', o.handle, 'slug', p.slug, 'id', e.id) as params
      from examples e join prompts p on p.id = e.prompt_id join users o on o.id = p.owner_id
      where e.author_id = ${leaving.accountId} and e.deleted_at is null
        and ${isMoreThan(sql, leaving, sql`e.status <> 'approved'`)}`,
  },
  {
    operation: "changeRequests.update",
    what: "open change requests",
    rows: (sql, leaving) => sql`
      select json_build_object('owner', o.handle, 'slug', p.slug, 'n', c.n) as params
      from change_requests c join prompts p on p.id = c.target_id join users o on o.id = p.owner_id
      where c.author_id = ${leaving.accountId} and c.state = 'open' and ${isMoreThan(sql, leaving, sql`false`)}`,
    body: { state: "closed" },
  },
  {
    operation: "makes.delete",
    what: "makes",
    rows: (sql, leaving) => sql`
      select json_build_object('slug', slug) as params from makes
      where owner_id = ${leaving.accountId} and deleted_at is null and ${isMoreThan(sql, leaving, sql`status = 'draft'`)}`,
  },
  {
    operation: "posts.delete",
    what: "posts",
    rows: (sql, leaving) => sql`
      select json_build_object('id', id) as params from posts
      where owner_id = ${leaving.accountId} and deleted_at is null and ${isMoreThan(sql, leaving, sql`public_id is null`)}`,
  },
  {
    operation: "posts.series.delete",
    what: "series of posts",
    rows: (sql, leaving) => sql`
      select json_build_object('id', id) as params from post_series
      where owner_id = ${leaving.accountId} and deleted_at is null and ${isMoreThan(sql, leaving, sql`false`)}`,
  },
  {
    operation: "collections.delete",
    what: "collections",
    rows: (sql, leaving) => sql`
      select json_build_object('id', id) as params from collections
      where owner_id = ${leaving.accountId} and deleted_at is null
        and ${isMoreThan(sql, leaving, sql`visibility = 'private'`)}`,
  },
  {
    operation: "prompts.delete",
    what: "prompts",
    rows: (sql, leaving) => sql`
      select ${prompt(sql)} as params from prompts p join users o on o.id = p.owner_id
      where p.owner_id = ${leaving.accountId} and p.deleted_at is null
        and ${isMoreThan(sql, leaving, sql`(p.visibility = 'private' or p.status = 'draft')`)}`,
  },
  {
    operation: "prompts.draft.delete",
    what: "drafts of prompts that stay",
    rows: (sql, { accountId }) => sql`
      select ${prompt(sql)} as params
      from drafts d join prompts p on p.id = d.prompt_id join users o on o.id = p.owner_id
      where p.owner_id = ${accountId} and p.deleted_at is null`,
  },
  {
    operation: "imports.cancel",
    what: "imports",
    rows: (sql, { accountId }) => sql`
      select json_build_object('id', id) as params from imports
      where user_id = ${accountId} and status in ('uploading', 'queued', 'detecting', 'ready', 'committing')`,
  },
  {
    operation: "users.me.update",
    what: "picture of the account",
    rows: (sql, { accountId }) => sql`
      select '{}'::json as params from users where id = ${accountId} and avatar_media_id is not null`,
    body: { avatarMediaId: null },
  },
  {
    operation: "media.delete",
    what: "pictures and files that nothing shows",
    rows: (sql, { accountId }) => sql`
      select json_build_object('id', m.id) as params from media m
      where m.owner_id = ${accountId} and m.deleted_at is null
        and not exists (select from media_uses u where u.media_id = m.id)`,
  },
];
