-- A CDN keeps media too, until the last thing that shows them to everybody does so no more. Whatever writes these rows, and however: the
-- media of what changed are purged.
alter table purges drop constraint purges_prompt_id_fkey;
alter table purges rename column prompt_id to key;

-- What shows media is the row itself, or belongs to it.
create function purge_shown_media() returns trigger language plpgsql as $$
begin
  insert into purges (key)
    select distinct used.media_id from (
      select new.id
      union all select id from gallery_items where make_id = new.id
      union all select id from examples where prompt_id = new.id
    ) shows (id) cross join lateral (select media_id from media_uses where subject_id = shows.id offset 0) used;
  return null;
end $$;
create trigger purge_shown_media after update of visibility, deleted_at on collections
  for each row when ((old.visibility, old.deleted_at) is distinct from (new.visibility, new.deleted_at))
  execute function purge_shown_media();
create trigger purge_shown_media after update of status, deleted_at on examples
  for each row when ((old.status, old.deleted_at) is distinct from (new.status, new.deleted_at))
  execute function purge_shown_media();
create trigger purge_shown_media after update of visibility, status, deleted_at on prompts
  for each row when ((old.visibility, old.status, old.deleted_at) is distinct from (new.visibility, new.status, new.deleted_at))
  execute function purge_shown_media();
create trigger purge_shown_media after update of status, deleted_at on makes
  for each row when ((old.status, old.deleted_at) is distinct from (new.status, new.deleted_at))
  execute function purge_shown_media();
create trigger purge_shown_media after update of public_id, deleted_at on posts
  for each row when ((old.public_id is null, old.deleted_at) is distinct from (new.public_id is null, new.deleted_at))
  execute function purge_shown_media();

create function purge_unused_media() returns trigger language plpgsql as $$
begin
  insert into purges (key) select distinct media_id from unused;
  return null;
end $$;
create trigger purge_unused_media after delete on media_uses
  referencing old table as unused for each statement execute function purge_unused_media();
