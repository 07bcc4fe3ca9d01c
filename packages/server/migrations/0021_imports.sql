-- Prompts of other tools on their way to drafts. Whatever changes an import, or what it found, locks it first.
create table imports (
  id text primary key default new_id('imp'),
  user_id text not null references users,
  source jsonb not null,
  status text not null check (status in
    ('uploading', 'queued', 'detecting', 'ready', 'committing', 'completed', 'cancelled', 'failed', 'expired')),
  -- Of a file that is uploaded.
  upload_size int,
  upload_received int,
  upload_sha256 text,
  detected int not null default 0,
  selected int not null default 0,
  committed int not null default 0,
  skipped int not null default 0,
  failed int not null default 0,
  warnings text[] not null default '{}',
  error text,
  created_at timestamptz not null default clock(),
  ready_at timestamptz,
  finished_at timestamptz,
  expires_at timestamptz not null,
  revision bigint not null default 1,
  -- Held by the process that works on it: what comes without the current token is not written.
  lease_token uuid,
  leased_until timestamptz,
  -- How often work on it began. A process that dies of it does not begin for ever.
  attempts int not null default 0,
  check ((upload_size is null) = (upload_received is null))
);
create index imports_by_user on imports (user_id, id);
create index imports_by_status on imports (user_id, status, id);
create index imports_to_work_on on imports (id) where status in ('queued', 'detecting', 'committing');
create index imports_to_expire on imports (expires_at) where status in ('uploading', 'ready');

-- What was sent: a file as it was uploaded, or the JSON of texts. Deleted once its prompts were found.
create table import_chunks (
  import_id text not null references imports on delete cascade,
  start int not null,
  content bytea not null,
  primary key (import_id, start)
);
-- It is compressed already, or lies here for seconds.
alter table import_chunks alter column content set storage external;

-- What was found.
create table import_items (
  id text primary key default new_id('imi'),
  import_id text not null references imports on delete cascade,
  position int not null,
  detector text not null,
  kind text not null,
  title text not null,
  slug text not null,
  summary text,
  tags text[] not null,
  license text,
  source_path text not null,
  part text,
  files jsonb not null,
  preview text not null,
  variables jsonb not null,
  confidence double precision not null,
  selected boolean not null,
  duplicate jsonb not null default '{"level": "none", "matches": []}',
  warnings text[] not null,
  state text not null default 'detected' check (state in ('detected', 'committed', 'skipped', 'failed')),
  -- What the commit changes of it; null if it was not chosen.
  chosen jsonb,
  prompt_id text references prompts,
  error jsonb,
  -- About how long it is as JSON: pages of long ones end early.
  size int not null generated always as (octet_length(variables::text) + octet_length(files::text)
    + octet_length(preview)) stored,
  unique (import_id, position)
);

-- The files of the draft that an item becomes. Deleted when it has become one, or cannot any more.
create table import_contents (
  item_id text primary key references import_items on delete cascade,
  files jsonb not null
);
