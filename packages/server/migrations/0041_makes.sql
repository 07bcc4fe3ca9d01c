-- What people made with prompts.
create table makes (
  id text primary key default new_id('mak'),
  owner_id text not null references users,
  slug text not null unique,
  title text not null,
  summary text,
  body text not null,
  body_html text,
  body_renderer smallint not null default 0,
  tags text[] not null,
  license text,
  status text not null default 'draft' check (status in ('draft', 'published')),
  visibility text not null check (visibility in ('public', 'unlisted')),
  remix_of_id text references makes,
  -- A gallery item. Without a reference, since these refer to their make.
  cover_item_id text,
  -- The words of title, tags, summary and body.
  document tsvector not null,
  -- Figures of the last hour, which lists are sorted by.
  trending float8 not null default 0,
  hourly_stars int not null default 0,
  created_at timestamptz not null default clock(),
  updated_at timestamptz not null default clock(),
  published_at timestamptz,
  deleted_at timestamptz,
  revision bigint not null default 1,
  check (status = 'draft' or published_at is not null)
);
create index makes_by_owner on makes (owner_id, id) where deleted_at is null;
create index makes_by_publication on makes (published_at desc, id desc)
  where status = 'published' and visibility = 'public' and deleted_at is null;
create index makes_by_trend on makes (trending desc, id desc)
  where status = 'published' and visibility = 'public' and deleted_at is null;
create index makes_by_stars on makes (hourly_stars desc, id desc)
  where status = 'published' and visibility = 'public' and deleted_at is null;
create index makes_by_word on makes using gin (document)
  where status = 'published' and visibility = 'public' and deleted_at is null;
create index makes_by_tag on makes using gin (tags)
  where status = 'published' and visibility = 'public' and deleted_at is null;
create index makes_by_prefix on makes (folded(title) collate "C")
  where status = 'published' and visibility = 'public' and deleted_at is null;
create index makes_by_likeness on makes using gin (folded(title) gin_trgm_ops)
  where status = 'published' and visibility = 'public' and deleted_at is null;
create index makes_by_origin on makes (remix_of_id, id)
  where status = 'published' and visibility = 'public' and deleted_at is null;
create index makes_by_renderer on makes (body_renderer, id);

-- Every slug that a make has or had. It is taken here first, and never given to another.
create table make_slugs (
  slug text primary key,
  make_id text not null references makes
);

create table make_files (
  id text primary key default new_id('mfl'),
  make_id text not null references makes,
  media_id text not null references media,
  label text not null,
  description text,
  position int not null,
  -- Compared at the end of a statement, so that one can put them in another order.
  unique (make_id, position) deferrable
);
create index make_files_by_media on make_files (media_id);

create table gallery_items (
  id text primary key default new_id('gal'),
  make_id text not null references makes,
  media_id text references media,
  -- Something on another site: its provider, and both of its addresses.
  embed jsonb,
  caption text,
  alt text,
  position int not null,
  unique (make_id, position) deferrable,
  check ((media_id is null) <> (embed is null))
);
create index gallery_items_by_media on gallery_items (media_id);

create table make_parts (
  id text primary key default new_id('par'),
  make_id text not null references makes,
  name text not null,
  quantity float8 not null check (quantity > 0),
  unit text,
  url text,
  -- Of all of it. A decimal number as it was written: `1.50` stays so.
  price text,
  currency text,
  note text,
  optional boolean not null,
  position int not null,
  unique (make_id, position) deferrable,
  check ((price is null) = (currency is null))
);

create table make_links (
  id text primary key default new_id('lnk'),
  -- The order in which its maker named them: several ids fall into one millisecond.
  seq bigint generated always as identity,
  make_id text not null references makes,
  prompt_id text not null references prompts,
  -- Who owns the prompt.
  owner_id text not null references users,
  version_n int not null,
  note text,
  status text not null check (status in ('pending', 'approved', 'rejected')),
  reason text,
  pinned_at timestamptz,
  decided_by text references users,
  decided_at timestamptz,
  -- One that was removed stays, so that nobody is told twice, and that a rejection is not undone by another link.
  removed_at timestamptz,
  -- When its events were written: each once.
  linked_event_at timestamptz,
  approved_event_at timestamptz,
  -- Whether its make is published and not deleted, and it was not removed.
  is_live boolean not null default false,
  -- Whether besides it is approved, and everybody finds its make.
  is_shown boolean not null default false,
  revision bigint not null default 1,
  unique (make_id, prompt_id),
  check ((status = 'pending') = (decided_at is null)),
  check (pinned_at is null or status = 'approved')
);
create index make_links_in_gallery on make_links (prompt_id, (pinned_at is not null) desc, decided_at desc, id desc)
  where is_shown;
create index make_links_of_version on make_links (prompt_id, version_n, (pinned_at is not null) desc, decided_at desc, id desc)
  where is_shown;
create index make_links_in_inbox on make_links (owner_id, id) where status = 'pending' and is_live;
create index make_links_pending on make_links (prompt_id, id) where status = 'pending' and is_live;
create index make_links_pinned on make_links (prompt_id) where pinned_at is not null;
-- With a condition of its own, so that no gallery is read by it, which has another order.
create index make_links_by_decision on make_links (prompt_id, decided_at) where is_live and status = 'approved';
create index make_links_by_prompt on make_links (prompt_id, make_id) where is_shown;

create table make_stars (
  make_id text not null references makes,
  user_id text not null references users,
  starred_at timestamptz not null default clock(),
  primary key (make_id, user_id)
);
create index make_stars_by_user on make_stars (user_id, make_id);

-- Tags of makes, beside those of prompts.
alter table tags add make_count bigint not null default 0;
alter table tag_changes add make_delta int not null default 0;
create index tags_in_use on tags (prompt_count desc, name) where prompt_count > 0 or make_count > 0;
create index tags_in_use_by_name on tags (name) where prompt_count > 0 or make_count > 0;
create index tags_in_use_by_likeness on tags using gin (name gin_trgm_ops) where prompt_count > 0 or make_count > 0;

-- Collections count what everybody is shown of makes, as of prompts.
create trigger note_collected after update of visibility, status, deleted_at on makes
  for each row when ((old.visibility, old.status, old.deleted_at) is distinct from (new.visibility, new.status, new.deleted_at))
  execute function note_collected();
