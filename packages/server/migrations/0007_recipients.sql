-- Who hears of an event is decided by the moment at which it happens, however late it is fanned out. So what decides it
-- is kept with the time since when it holds, and for a while after it is over. What is older than this held ever since.
alter table webhooks add since timestamptz not null default '-infinity';
alter table webhooks alter since set default clock();
alter table watches add since timestamptz not null default '-infinity';
alter table watches alter since set default clock();
-- The time of an event by the clock alone: `created_at` can be ahead, since it rises strictly for each prompt.
alter table events add written_at timestamptz not null default '-infinity';
alter table events alter written_at set default clock();

-- What an enabled webhook asked for before. Those of an earlier epoch count no more, like what waited then.
create table former_filters (
  webhook_id text not null,
  epoch int not null,
  since timestamptz not null,
  until timestamptz not null,
  events text[],
  prompt_ids text[],
  primary key (webhook_id, until)
);
create index former_filters_by_end on former_filters (until);
create table former_watches (
  prompt_id text not null,
  user_id text not null,
  level text not null,
  since timestamptz not null,
  until timestamptz not null,
  -- Few have ended since an event that is still to be fanned out.
  primary key (prompt_id, until, user_id)
);
create index former_watches_by_end on former_watches (until);

-- When it last turned private or was deleted. Of what was until then nobody but its owner is told any more, also when it
-- turns public again.
alter table prompts add withdrawn_at timestamptz;
