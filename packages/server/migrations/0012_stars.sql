-- Who starred which prompt, and when.
create table stars (
  prompt_id text not null references prompts,
  user_id text not null references users,
  -- That of the prompt, which never changes. There is no limit on stars: to look for a kind must not read all of them.
  kind text not null,
  starred_at timestamptz not null default clock(),
  primary key (prompt_id, user_id)
);
create index stars_by_user on stars (user_id, starred_at desc, prompt_id desc);
create index stars_by_kind on stars (user_id, kind, starred_at desc, prompt_id desc);
