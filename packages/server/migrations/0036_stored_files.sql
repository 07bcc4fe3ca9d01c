-- The keys under which a store has bytes. A row is committed before the first byte comes, and deleted after the last byte is gone,
-- so that no byte is without a row. Keys are random, and none is used twice.
create table stored_files (
  key text primary key,
  size bigint not null,
  -- The id of what the bytes are of. Null until it is committed, and again when it needs them no more.
  used_by text,
  created_at timestamptz not null default clock(),
  -- From then on nothing can use the key.
  doomed_at timestamptz,
  check (used_by is null or doomed_at is null)
);
create index stored_files_by_use on stored_files (used_by) where used_by is not null;
create index stored_files_idle on stored_files (created_at) where used_by is null;
