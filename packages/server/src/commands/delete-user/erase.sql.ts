import type postgres from "postgres";
import type { Sql } from "../../database/sql.ts";
import { requestPurges } from "../../kernel/changes/purges.sql.ts";

/** Versions whose files go in one transaction: commits wait for it. */
const versionsAtOnce = 50;

/** Deletes the files of the deleted prompts of an account, and their contents where nothing else has them. */
export async function eraseFiles(sql: postgres.Sql, accountId: string): Promise<void> {
  for (;;) {
    const versions = await sql<{ id: string }[]>`
      select v.id from prompts p cross join lateral (
        select v.id from versions v
        where v.prompt_id = p.id and exists (select from version_files f where f.version_id = v.id) limit ${versionsAtOnce}
      ) v
      where p.owner_id = ${accountId} and p.deleted_at is not null limit ${versionsAtOnce}`;
    if (versions.length === 0) return;
    await sql.begin(async (sql) => {
      // A commit of the same content waits, and then writes it anew.
      await sql`lock table blobs in share row exclusive mode`;
      const files = await sql<{ digest: string }[]>`
        delete from version_files where version_id = any(${versions.map(({ id }) => id)}) returning encode(sha256, 'hex') as digest`;
      await sql`
        delete from blobs b where b.sha256 in (select decode(digest, 'hex') from unnest(${files.map(({ digest }) => digest)}::text[]) digest)
          and not exists (select from version_files f where f.sha256 = b.sha256)`;
    });
  }
}

/** Takes the texts out of what stays of deleted works. */
export async function eraseWorks(sql: Sql, accountId: string): Promise<void> {
  const prompts = sql`select id from prompts where owner_id = ${accountId} and deleted_at is not null`;
  const makes = sql`select id from makes where owner_id = ${accountId} and deleted_at is not null`;
  const posts = sql`select id from posts where owner_id = ${accountId} and deleted_at is not null`;
  const collections = sql`select id from collections where owner_id = ${accountId} and deleted_at is not null`;
  await sql`
    delete from notifications where notice_id in (
      select id from notices where actor_id = ${accountId} or prompt_id in (${prompts}))`;
  await sql`delete from notices where actor_id = ${accountId} or prompt_id in (${prompts})`;
  await sql`delete from installs where prompt_id in (${prompts})`;
  await sql`delete from drafts where prompt_id in (${prompts})`;
  await sql`update labels set reason = null where prompt_id in (${prompts})`;
  await sql`update label_moves set reason = null where prompt_id in (${prompts})`;
  await sql`
    update versions set author_handle = '', message = null, entry = '', content_hash = '', variables = '[]', config = '{}', text_hash = '',
      yank_reason = null
    where prompt_id in (${prompts})`;
  // The worker deletes their results in parts, and then the runs.
  await sql`update eval_runs set deleted_at = coalesce(deleted_at, clock()) where prompt_id in (${prompts})`;
  await sql`delete from eval_cases where dataset_id in (select id from eval_datasets where prompt_id in (${prompts}))`;
  await sql`
    update eval_datasets set name = '', description = null, deleted_at = coalesce(deleted_at, clock())
    where prompt_id in (${prompts})`;
  await sql`
    update examples set title = null, model = null, variables = '{}', input = null, output = '', media_ids = '{}', note = null,
      reject_reason = null, position = null, deleted_at = coalesce(deleted_at, clock())
    where prompt_id in (${prompts}) or author_id = ${accountId} and deleted_at is not null`;
  await sql`
    update prompts set title = '', summary = null, tags = '{}', license = null
    where owner_id = ${accountId} and deleted_at is not null`;
  await sql`delete from make_files where make_id in (${makes})`;
  await sql`delete from gallery_items where make_id in (${makes})`;
  await sql`delete from make_parts where make_id in (${makes})`;
  await sql`update make_links set note = null, reason = null where make_id in (${makes})`;
  await sql`
    update makes set title = '', summary = null, body = '', body_html = null, tags = '{}', license = null, document = ''
    where owner_id = ${accountId} and deleted_at is not null`;
  await sql`
    update post_revisions set title = '', summary = null, body = '', body_html = null where post_id in (${posts})`;
  await sql`
    update posts set tags = '{}', submission_note = null, decision_reason = null, document = ''
    where owner_id = ${accountId} and deleted_at is not null`;
  await sql`
    update post_series set title = '', description = null where owner_id = ${accountId} and deleted_at is not null`;
  await sql`delete from collection_items where collection_id in (${collections})`;
  await sql`
    update collections set title = '', description = null, document = ''
    where owner_id = ${accountId} and deleted_at is not null`;
  await sql`
    update media set filename = null, alt = null where owner_id = ${accountId} and deleted_at is not null`;
}

/** What nobody but the account has to do with, and what it did that counts no more where its thing is hidden from it. */
export async function eraseTraces(sql: Sql, accountId: string): Promise<void> {
  await sql`delete from imports where user_id = ${accountId}`;
  await sql`
    with gone as (delete from notifications where user_id = ${accountId} returning notice_id)
    delete from notices n using gone where n.id = gone.notice_id
      and not exists (select from notifications f where f.notice_id = n.id and f.user_id <> ${accountId})`;
  await sql`delete from idempotency_keys where user_id = ${accountId}`;
  await sql`delete from discord_codes where used_by_id = ${accountId}`;
  await sql`delete from discord_links where user_id = ${accountId}`;
  await sql`delete from watches where user_id = ${accountId}`;
  await sql`delete from former_watches where user_id = ${accountId}`;
  await sql`delete from stars where user_id = ${accountId}`;
  await sql`delete from make_stars where user_id = ${accountId}`;
  await sql`delete from votes where user_id = ${accountId}`;
  await sql`delete from installers where user_id = ${accountId}`;
  await sql`update installs set user_id = null where user_id = ${accountId}`;
  await sql`
    update webhooks set url = '', description = null, secret_encrypted = '', secret_hint = '' where user_id = ${accountId}`;
}

/** The author of the versions of an account has another handle from now on. Nobody else's prompts have versions by it. */
export async function renameAuthor(
  sql: Sql,
  { accountId, handle }: { accountId: string; handle: string },
): Promise<void> {
  await sql`
    with renamed as (
      update versions set author_handle = ${handle}, edition = edition + 1
      where prompt_id in (select id from prompts where owner_id = ${accountId} and deleted_at is null)
        and author_handle <> ${handle}
      returning prompt_id
    ), purged as (
      ${requestPurges(sql, sql`select distinct prompt_id from renamed`)}
    )
    update prompts set revision = revision + 1 where id in (select prompt_id from renamed)`;
}

/** Takes the person out of the account. Without `leadsOn`, addresses with its handles lead nowhere any more. */
export async function eraseAccount(
  sql: Sql,
  { accountId, handle, leadsOn }: { accountId: string; handle: string; leadsOn: boolean },
): Promise<void> {
  await sql`insert into former_handles (handle, user_id) select handle, id from users where id = ${accountId}`;
  if (!leadsOn) await sql`update former_handles set user_id = null where user_id = ${accountId}`;
  await sql`
    update users set handle = ${handle}, name = null, bio = null, website = null, email = null, role = 'user',
      preferences = default, trusted_author = false, max_bytes = null,
      suspended_at = coalesce(suspended_at, clock()), deleted_at = clock(), revision = revision + 1
    where id = ${accountId}`;
}
