-- Versions of forks, proposed to the prompt that was forked. Numbered without gaps for each target, under its row lock.
create table change_requests (
  target_id text not null references prompts,
  n int not null,
  source_id text not null references prompts,
  -- The proposed version of the source.
  source_n int not null,
  -- What both sides last had in common: a version of the target, and the version of the source that went into it. Null: the
  -- version of the target itself, since the author of the source merged it there.
  base_n int not null,
  base_source_n int,
  author_id text not null references users,
  title text not null,
  body text,
  state text not null default 'open' check (state in ('open', 'closed', 'merged')),
  -- How much the proposed version changes the base. Both never change, so that nobody has to compare them again.
  files int not null,
  additions int not null,
  deletions int not null,
  revision bigint not null default 1,
  created_at timestamptz not null default clock(),
  updated_at timestamptz not null default clock(),
  closed_at timestamptz,
  closed_by text references users,
  merged_at timestamptz,
  merged_by text references users,
  -- The version of the target that it became.
  merged_n int,
  primary key (target_id, n)
);
create unique index change_requests_open on change_requests (source_id) where state = 'open';
create index change_requests_merged on change_requests (source_id, merged_n desc) where state = 'merged';
-- Lists are of one state, or are merged of the lists of all three.
create index change_requests_by_state on change_requests (target_id, state, n);
create index change_requests_by_update on change_requests (target_id, state, updated_at, n);
create index change_requests_by_author on change_requests (target_id, author_id, state, n);
create index change_requests_by_author_update on change_requests (target_id, author_id, state, updated_at, n);
