-- Documents also have what searches filter and choose by, as terms that no text contains: `tag:review`, `stars:3`. So the index of
-- words finds the most starred documents of a word, or those with a rare tag, without those that do not fit.

-- Stars by powers of four, so that a document changes seldom.
create function star_tier(stars int) returns int language sql immutable strict parallel safe
  return width_bucket(stars, array[1, 4, 16, 64, 256, 1024, 4096, 16384, 65536]);

create function search_terms(p prompts) returns text[] language sql immutable parallel safe
  return array['kind:' || p.kind, 'owner:' || p.owner_id, 'stars:' || star_tier(p.hourly_stars), 'month:' || to_char(
      coalesce(p.published_at, p.created_at) at time zone 'utc', 'YYYYMM')]
    || array_remove(array['license:' || p.license], null)
    || coalesce((select array_agg('tag:' || tag) from unnest(p.tags) tag), '{}');

-- The words of the entry file were also stored separately. An edit of the title reads the file again instead: it is rare.
alter table search_documents drop entry;
-- In the row itself: whoever ranks a document reads one page, not those of a table of large values and its index.
alter table search_documents alter document set storage main;
alter table search_documents set (toast_tuple_target = 8160);
-- The index is built once, not document by document. Searches read its waiting list whole: it stays short.
drop index search_documents_by_word;
update search_documents d set document = d.document || array_to_tsvector(search_terms(p))
  from prompts p where d.type = 'prompt' and d.id = p.id;
create index search_documents_by_word on search_documents using gin (document) with (gin_pending_list_limit = 256);
