-- What prompts were filled in with, and what models answered. Changed under the row lock of the prompt.
create table examples (
  id text primary key default new_id('exm'),
  prompt_id text not null references prompts,
  version_n int,
  author_id text not null references users,
  title text,
  model text,
  variables jsonb not null,
  input text,
  output text not null,
  note text,
  status text not null check (status in ('pending', 'approved', 'rejected')),
  reject_reason text,
  position int,
  created_at timestamptz not null default clock(),
  decided_at timestamptz,
  deleted_at timestamptz,
  revision bigint not null default 1,
  check ((position is not null) = (status = 'approved' and deleted_at is null)),
  foreign key (prompt_id, version_n) references versions (prompt_id, n)
);
-- What is not approved has no position and is listed after all that is, by age.
create index examples_by_status on examples (prompt_id, status, coalesce(position, 2147483647), id)
  where deleted_at is null;
create index examples_by_version on examples (prompt_id, version_n, status, coalesce(position, 2147483647), id)
  where deleted_at is null;
-- Also counts what an author deleted a short time ago.
create index examples_by_author on examples (prompt_id, author_id, status, id);

-- Who voted how on what, by the id of what is voted on, which can be of several kinds.
create table votes (
  target_id text not null,
  user_id text not null references users,
  value smallint not null check (value in (1, -1)),
  voted_at timestamptz not null default clock(),
  primary key (target_id, user_id)
);
