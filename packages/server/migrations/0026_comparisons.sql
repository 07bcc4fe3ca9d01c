-- What two ended runs come to, so that it is computed once. Rows can be deleted at any time: they are computed again.
create table eval_comparisons (
  a_run_id text not null references eval_runs on delete cascade,
  b_run_id text not null references eval_runs on delete cascade,
  -- How it was computed. Another method has rows of its own.
  method int not null,
  prompt_id text not null,
  figures json not null default '{}',
  -- How much its cases take.
  bytes int not null default 0,
  made_at timestamptz not null default clock(),
  primary key (a_run_id, b_run_id, method)
);
create index eval_comparisons_by_b on eval_comparisons (b_run_id);
create index eval_comparisons_by_prompt on eval_comparisons (prompt_id, made_at desc, bytes);
create index eval_comparisons_by_age on eval_comparisons (made_at desc, bytes);

-- The keys of its cases by what became of them, some in a row.
create table eval_compared_cases (
  a_run_id text not null,
  b_run_id text not null,
  method int not null,
  change text not null,
  last_key text not null,
  keys text[] not null,
  primary key (a_run_id, b_run_id, method, change, last_key),
  foreign key (a_run_id, b_run_id, method) references eval_comparisons on delete cascade
);
