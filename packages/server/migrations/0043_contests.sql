-- Contests, in which prompts and makes compete. Their phase is no column: the four times and clock() decide it.
create table contests (
  id text primary key default new_id('con'),
  slug text not null unique,
  title text not null,
  description text not null,
  description_html text,
  description_renderer smallint not null default 0,
  rules text not null,
  rules_html text,
  rules_renderer smallint not null default 0,
  prizes text not null,
  prizes_html text,
  prizes_renderer smallint not null default 0,
  accepts text[] not null,
  -- Null: all kinds of prompts.
  kinds text[],
  opens_at timestamptz not null,
  entries_close_at timestamptz not null,
  voting_closes_at timestamptz not null,
  judging_closes_at timestamptz not null,
  criteria jsonb not null,
  votes_per_user int not null,
  entries_per_user int not null,
  judge_weight numeric not null,
  -- The result that holds, once there is one: the contest then stays closed, even if the clock is set back.
  result_n int,
  created_at timestamptz not null default clock(),
  updated_at timestamptz not null default clock(),
  revision bigint not null default 1,
  check (opens_at <= entries_close_at and entries_close_at <= voting_closes_at and voting_closes_at <= judging_closes_at)
);
create index contests_by_opening on contests (opens_at desc, id desc);
create index contests_without_result on contests (judging_closes_at) where result_n is null;

create table contest_judges (
  contest_id text not null references contests,
  user_id text not null references users,
  position int not null,
  primary key (contest_id, user_id)
);

create table contest_entries (
  id text primary key default new_id('ent'),
  contest_id text not null references contests,
  -- Who entered it.
  owner_id text not null references users,
  -- A prompt or a make.
  target_id text not null,
  -- Of a prompt: the version that competes.
  version_n int,
  statement text,
  created_at timestamptz not null default clock(),
  disqualified_at timestamptz,
  unique (target_id, contest_id)
);
-- The only one that begins with the contest: a list is read by no other.
create index contest_entries_in_order on contest_entries (contest_id, id);
create index contest_entries_by_owner on contest_entries (owner_id);

-- No counter: how many vote for an entry is counted once, at the end, so that no vote waits for another.
create table contest_votes (
  entry_id text not null references contest_entries on delete cascade,
  user_id text not null references users,
  contest_id text not null references contests,
  voted_at timestamptz not null default clock(),
  -- As in the audit log. It is forgotten thirty days after the result.
  ip_hash bytea,
  primary key (entry_id, user_id)
);
create index contest_votes_by_user on contest_votes (user_id, contest_id);
create index contest_votes_with_address on contest_votes (contest_id) where ip_hash is not null;

create table contest_scores (
  entry_id text not null references contest_entries on delete cascade,
  judge_id text not null references users,
  scores jsonb not null,
  comment text,
  -- The mean of the scores by the weights of their criteria.
  total numeric not null,
  scored_at timestamptz not null default clock(),
  primary key (entry_id, judge_id)
);

-- Results. A later one is made where an entry is disqualified afterwards, and says why.
create table contest_results (
  contest_id text not null references contests,
  n int not null,
  reason text,
  decided_at timestamptz not null default clock(),
  primary key (contest_id, n)
);

create table contest_places (
  contest_id text not null,
  n int not null,
  rank int not null,
  entry_id text not null references contest_entries,
  votes int not null,
  -- The mean of what the judges gave; null if none did.
  judged numeric,
  score numeric not null,
  primary key (contest_id, n, rank),
  unique (entry_id, n),
  foreign key (contest_id, n) references contest_results
);

-- What is deleted before the end is withdrawn, so that it holds on to nobody's votes. The lock of the contest keeps its result from being
-- computed meanwhile.
create function withdraw_deleted() returns trigger language plpgsql as $$
begin
  perform from contests c join contest_entries e on e.contest_id = c.id where e.target_id = new.id order by c.id for share of c;
  delete from contest_entries e using contests c
  where e.target_id = new.id and c.id = e.contest_id and c.result_n is null and c.judging_closes_at > clock();
  return null;
end $$;
create trigger withdraw_deleted after update of deleted_at on prompts
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function withdraw_deleted();
create trigger withdraw_deleted after update of deleted_at on makes
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function withdraw_deleted();
