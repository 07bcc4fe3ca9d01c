-- Collections of what people put together.
create table collections (
  id text primary key default new_id('col'),
  owner_id text not null references users,
  title text not null,
  description text,
  visibility text not null check (visibility in ('public', 'unlisted', 'private')),
  -- The words of title and description.
  document tsvector not null,
  -- How many items everybody is shown, and a digest of these. By it an edit knows whether it changed what everybody is shown.
  item_count int not null default 0,
  items_digest bytea,
  created_at timestamptz not null default clock(),
  updated_at timestamptz not null default clock(),
  deleted_at timestamptz,
  -- Rises with what everybody is shown, and not with items that only some can see.
  revision bigint not null default 1
);
create index collections_by_owner on collections (owner_id, id) where deleted_at is null;
create index collections_by_update on collections (updated_at desc, id desc)
  where visibility = 'public' and deleted_at is null;
create index collections_by_creation on collections (created_at desc, id desc)
  where visibility = 'public' and deleted_at is null;
create index collections_by_size on collections (item_count desc, id desc)
  where visibility = 'public' and deleted_at is null;
create index collections_by_word on collections using gin (document)
  where visibility = 'public' and deleted_at is null;
create index collections_by_prefix on collections (folded(title) collate "C")
  where visibility = 'public' and deleted_at is null;
create index collections_by_likeness on collections using gin (folded(title) gin_trgm_ops)
  where visibility = 'public' and deleted_at is null;

create table collection_items (
  id text primary key default new_id('itm'),
  collection_id text not null references collections,
  -- The id of what is collected, which can be of several kinds.
  target_id text not null,
  note text,
  -- Nobody is shown it: gaps would tell of items that a viewer cannot see.
  position int not null,
  added_at timestamptz not null default clock(),
  unique (collection_id, target_id),
  -- Compared at the end of a statement, so that one can put items in another order.
  unique (collection_id, position) deferrable
);
create index collection_items_by_target on collection_items (target_id, collection_id);

-- Things in collections that became visible to everybody, or are so no more, or were deleted. The worker counts the items of their
-- collections anew, some at a time: a thing can be in very many.
create table collection_changes (
  seq bigint generated always as identity primary key,
  target_id text not null,
  -- The last collection that was counted.
  done_to text not null default ''
);

create function note_collected() returns trigger language plpgsql as $$
begin
  insert into collection_changes (target_id)
    select new.id where exists (select from collection_items where target_id = new.id);
  return null;
end $$;
create trigger note_collected after update of visibility, status, rating, deleted_at on prompts
  for each row when ((old.visibility, old.status, old.rating, old.deleted_at)
    is distinct from (new.visibility, new.status, new.rating, new.deleted_at))
  execute function note_collected();
