import type { Sql } from "postgres";
import { renderer } from "../src/kernel/markdown/render.ts";

/** What a careful person would write for this one purpose: the lock of a thread and the habits of its author are looked at under their locks. */
export function commentBare(
  sql: Sql,
  { promptId, userId, text }: { promptId: string; userId: string; text: string },
): Promise<unknown> {
  return sql.begin(async (sql) => {
    const [prompt] = await sql<{ isOpen: boolean }[]>`
      select not exists (select from comment_locks where target = p.id) as "isOpen" from prompts p where id = ${promptId} for no key update`;
    await sql`select from users where id = ${userId} for no key update`;
    const [habits] = await sql<{ isRepeated: boolean }[]>`
      select exists (
        select from comments where author_id = ${userId} and body_hash = sha256(${text}::text::bytea) and created_at > clock() - interval '1 hour'
      ) as "isRepeated"`;
    if (!prompt?.isOpen || habits?.isRepeated) throw new Error("nothing was written");
    await sql`
      with comment as (
        insert into comments (prompt_id, target, author_id, body, body_html, body_renderer, body_hash, mentions, status, published_at)
        values (${promptId}, ${promptId}, ${userId}, ${text}, ${`<p>${text}</p>`}, ${renderer}, sha256(${text}::text::bytea), '{}', 'visible', clock())
        returning id
      ), counted as (
        insert into counter_changes (subject_id, name, delta) values (${promptId}, 'comments', 1)
      ), prompt as (
        update prompts set last_event_at = greatest(clock(), last_event_at + interval '1 millisecond') where id = ${promptId}
        returning new_id('evt') as event_id, last_event_at as at
      )
      insert into events (day, id, name, prompt_id, account_ids, watch_levels, created_at, body)
      select at::date, event_id, 'comment.created', ${promptId}, array[${userId}], '{all}', at,
        convert_to(json_build_object('id', event_id, 'event', 'comment.created', 'createdAt', iso(at), 'comment', comment.id)::text, 'UTF8')
      from prompt, comment`;
  });
}
