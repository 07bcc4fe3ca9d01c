-- Suggestions find names in spite of typing errors by this extension. It is trusted: whoever owns the database may create it.
-- Its operators have to be on our search path.
do $$
declare
  home text := (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where extname = 'pg_trgm');
begin
  if home is null then
    execute format('create extension pg_trgm schema %I', current_schema());
  elsif home not in (current_schema(), 'public') then
    raise exception 'The extension pg_trgm is in the schema %, where Promptreg does not look. '
      'As an administrator, run in this database: alter extension pg_trgm set schema public; then start again.', home;
  end if;
exception
  when insufficient_privilege or undefined_file or feature_not_supported then
    raise exception 'Promptreg needs the extension pg_trgm (%). '
      'As an administrator, run in this database: create extension pg_trgm schema public; then start again.', sqlerrm;
end $$;

-- What names are compared by: without case and accents.
create function folded(text) returns text language sql immutable strict parallel safe
  return lower(normalize(regexp_replace(normalize($1, nfkd), '[\u0300-\u036f]', '', 'g'), nfc));

-- The same as words. Names without spaces (Chinese, Japanese, Korean) are short: each character is a word.
create function name_words(text) returns text language sql immutable strict parallel safe
  return regexp_replace(folded($1), '([\u2e80-\u9fff\uac00-\ud7af])', ' \1 ', 'g');

alter table users add words tsvector not null generated always as (
  setweight(to_tsvector('simple', translate(handle, '-', ' ') || ' ' || coalesce(name_words(name), '')), 'A')
    || setweight(to_tsvector('simple', coalesce(name_words(bio), '')), 'C')) stored;
create index users_by_word on users using gin (words) where suspended_at is null;
create index users_by_prefix on users (handle collate "C") where suspended_at is null;
create index users_by_likeness on users using gin (handle gin_trgm_ops) where suspended_at is null;

create index prompts_by_prefix on prompts (folded(title) collate "C")
  where visibility = 'public' and status = 'published' and deleted_at is null;
create index prompts_by_slug on prompts (slug collate "C")
  where visibility = 'public' and status = 'published' and deleted_at is null;
create index prompts_by_likeness on prompts using gin (folded(title) gin_trgm_ops)
  where visibility = 'public' and status = 'published' and deleted_at is null;

-- Our own code makes the words. Documents with words of an older making are made anew by the worker, which finds them here.
alter table search_documents add making smallint not null default 1;
create index search_documents_outdated on search_documents (id) where making < 2;

-- How many prompts everybody finds by a tag. Changes are appended and added up in batches, as with counters: those who use the
-- same tag do not wait for each other.
create table tags (
  name text collate "C" primary key,
  prompt_count bigint not null
);
create index tags_by_count on tags (prompt_count desc, name) where prompt_count > 0;
create index tags_by_name on tags (name) where prompt_count > 0;
create index tags_by_likeness on tags using gin (name gin_trgm_ops) where prompt_count > 0;
create table tag_changes (
  seq bigint generated always as identity primary key,
  name text collate "C" not null,
  delta int not null
);
create index tag_changes_by_name on tag_changes (name);

-- The tags by which lists show a prompt to everybody.
create function listed_tags(p prompts) returns text[] language sql immutable parallel safe
  return case when p.visibility = 'public' and p.status = 'published' and p.deleted_at is null and p.rating <> 'mature'
    then p.tags else '{}' end;

-- A trigger, because much changes whether a prompt is listed, and a tag of private prompts alone must be nowhere visible.
create function count_tags() returns trigger language plpgsql as $$
begin
  insert into tag_changes (name, delta)
    select tag, sum(delta) from (
      select unnest(listed_tags(new)), 1 union all select unnest(listed_tags(old)), -1
    ) change (tag, delta)
    group by tag having sum(delta) <> 0;
  return null;
end $$;
create trigger count_tags after insert or update of tags, visibility, status, rating, deleted_at on prompts
  for each row execute function count_tags();

insert into tags (name, prompt_count)
  select tag, count(*) from prompts p cross join unnest(listed_tags(p)) tag group by tag;
