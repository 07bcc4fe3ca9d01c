-- What accounts uploaded to show it somewhere. The bytes are in the store, under keys of stored_files.
create table media (
  id text primary key default new_id('med'),
  owner_id text not null references users,
  kind text not null check (kind in ('image', 'video', 'audio', 'model3d', 'file')),
  media_type text not null,
  filename text,
  alt text,
  status text not null default 'processing' check (status in ('processing', 'ready', 'rejected')),
  reject_reason text,
  -- Of what is served: until it is ready, of what was sent.
  size bigint not null,
  sha256 text not null,
  width int,
  height int,
  duration_ms bigint,
  sent_size bigint not null,
  sent_sha256 text not null,
  -- Null when it was rejected or deleted.
  file_key text references stored_files,
  thumbnail_key text references stored_files,
  -- Signs the addresses of what not everybody sees.
  link_secret bytea not null,
  -- The process that works on it.
  lease_token text,
  leased_until timestamptz,
  attempts int not null default 0,
  taken_at timestamptz,
  created_at timestamptz not null default clock(),
  deleted_at timestamptz,
  revision bigint not null default 1
);
create index media_to_process on media (owner_id, id) where status = 'processing' and deleted_at is null;
create index media_by_turn on media (owner_id, taken_at desc) where taken_at is not null;
create index media_by_file on media (file_key);
create index media_by_thumbnail on media (thumbnail_key);

-- What shows media. The prefix of its id tells its kind.
create table media_uses (
  media_id text not null references media,
  subject_id text not null,
  primary key (media_id, subject_id)
);
create index media_uses_by_subject on media_uses (subject_id);

-- Without a reference, since media refer to their owner: tables in a circle could not be exported one after the other.
alter table users add column avatar_media_id text;
alter table collections add column cover_media_id text references media;

-- The query of an address that works until the end of the next whole hour.
create function media_link(secret bytea, path text) returns text language sql stable parallel safe as $$
  select '?expires=' || expires || '&signature='
    || encode(sha256(secret || sha256(secret || convert_to(path || '?' || expires, 'UTF8'))), 'hex')
  from (select (extract(epoch from date_trunc('hour', clock())) + 7200)::bigint as expires) link
$$;
