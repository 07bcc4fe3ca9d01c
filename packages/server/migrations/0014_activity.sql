-- Who opened or downloaded what on a day: each counts once. A viewer is a hash with the day in it, so that nobody is followed
-- from one day to the next.
create table activity (
  day date not null,
  prompt_id text not null references prompts,
  act text not null check (act in ('download', 'open')),
  viewer bytea not null,
  -- The format of the first download, the target of the first opening.
  detail text not null,
  primary key (day, prompt_id, act, viewer)
);

-- The last install of each installation that was counted. It decides for 24 hours what counts again.
create table installs (
  prompt_id text not null references prompts,
  target text not null,
  installation bytea not null,
  version_n int not null,
  client text,
  user_id text references users,
  at timestamptz not null default clock(),
  primary key (prompt_id, target, installation)
);
create index installs_by_time on installs (at);

-- The accounts that installed a prompt, and when each did last: they count in rankings.
create table installers (
  prompt_id text not null references prompts,
  user_id text not null references users,
  at timestamptz not null default clock(),
  primary key (prompt_id, user_id)
);
