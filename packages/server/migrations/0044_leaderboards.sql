-- The best of each board and window, once an hour. A row has all of a board: at most 1,000 places, the best first.
create table leaderboards (
  board text not null check (board in ('prompts', 'makes', 'creators', 'evals')),
  span text not null check (span in ('24h', '7d', '30d', 'all')),
  computed_at timestamptz not null,
  -- Prompts, makes or accounts.
  target_ids text[] not null,
  scores float8[] not null,
  -- Of `evals`: the run of each place.
  run_ids text[] not null,
  primary key (board, span, computed_at)
);

-- What is being counted. It is empty but within the transaction that counts, so that it may be lost at any time.
create unlogged table leaderboard_scores (
  board text not null,
  span text not null,
  target_id text not null,
  score float8 not null,
  -- Decides between equal scores: the more, the better.
  cases int not null default 0,
  run_id text,
  primary key (board, span, target_id)
);
create index leaderboard_scores_in_order on leaderboard_scores (board, span, score desc, cases desc, target_id);

-- Remixes by their origin alone: an index with the conditions of lists would not be the only one that has these.
create index makes_by_remix on makes (remix_of_id) where remix_of_id is not null;
