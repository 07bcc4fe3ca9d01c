-- Addresses that led to a prompt or an account before: they lead there for ever, and nobody else gets them.
create table former_slugs (
  owner_id text not null references users,
  slug text not null,
  prompt_id text not null references prompts,
  primary key (owner_id, slug)
);
create table former_handles (
  handle text primary key,
  user_id text not null references users
);

-- Where the ids of a moment begin: ids sort by the time of their making.
create function first_id(prefix text, at timestamptz) returns text language sql stable parallel safe
  return (select prefix || '_' || right(base32(ms >> 40), 2) || base32(ms & 1099511627775)
    from (select (extract(epoch from at) * 1000)::bigint as ms) moment);

alter table users add revision bigint not null default 1;
alter table webhooks add revision bigint not null default 1;
alter table eval_runs
  add revision bigint not null default 1,
  -- What the results come to, kept up to date with every batch, so that nobody has to sum up those of a running run.
  -- `scored` results have a score. Sums are exact: what is replaced is taken off without a rest.
  add total int not null default 0,
  add passed int not null default 0,
  add failed int not null default 0,
  add errored int not null default 0,
  add skipped int not null default 0,
  add scored int not null default 0,
  add score_sum numeric not null default 0,
  add input_tokens bigint not null default 0,
  add output_tokens bigint not null default 0,
  add cost_usd numeric not null default 0,
  -- About how long it is as JSON: pages of long ones end early.
  add size int not null generated always as (octet_length(params::text)) stored;
alter table eval_results add size int not null generated always as (
  coalesce(octet_length(output), 0) + octet_length(assertions::text) + coalesce(octet_length(error), 0)) stored;
update eval_runs r set (total, passed, failed, errored, skipped, scored, score_sum, input_tokens, output_tokens, cost_usd) = (
  select count(*), count(*) filter (where status = 'passed'), count(*) filter (where status = 'failed'),
    count(*) filter (where status = 'errored'), count(*) filter (where status = 'skipped'), count(score),
    coalesce(sum(score::numeric(30, 20)), 0), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
    coalesce(sum(cost_usd::numeric(30, 20)), 0)
  from eval_results e where e.run_id = r.id)
where status = 'running';

alter table prompts
  add forked_from_id text references prompts,
  add forked_from_n int,
  -- Whether a run of it has ended.
  add has_evals boolean not null default false,
  -- Raised by every change of the working draft, and never used twice.
  add draft_revision bigint not null default 0,
  -- What lists are sorted by. Figures that move by the second stand still here for an hour, so that paging is stable.
  add trending double precision not null default 0,
  add hourly_stars int not null default 0,
  add hourly_installs int not null default 0;
update prompts p set has_evals = true
  where exists (select from eval_runs r where r.prompt_id = p.id and r.status <> 'running');

-- Most changes of a prompt touch nothing that is indexed: with room on its page they touch no index.
alter table prompts set (fillfactor = 80);

-- Lists of strangers show what is public; each order, and each single filter in the default order, has its index.
create index prompts_trending on prompts (trending desc, id desc)
  where visibility = 'public' and status = 'published' and deleted_at is null;
create index prompts_newest on prompts (coalesce(published_at, created_at) desc, id desc)
  where visibility = 'public' and status = 'published' and deleted_at is null;
create index prompts_updated on prompts (updated_at desc, id desc)
  where visibility = 'public' and status = 'published' and deleted_at is null;
create index prompts_stars on prompts (hourly_stars desc, id desc)
  where visibility = 'public' and status = 'published' and deleted_at is null;
create index prompts_installs on prompts (hourly_installs desc, id desc)
  where visibility = 'public' and status = 'published' and deleted_at is null;
create index prompts_title on prompts (lower(title), id)
  where visibility = 'public' and status = 'published' and deleted_at is null;
create index prompts_by_kind on prompts (kind, trending desc, id desc)
  where visibility = 'public' and status = 'published' and deleted_at is null;
create index prompts_by_owner on prompts (owner_id, trending desc, id desc)
  where visibility = 'public' and status = 'published' and deleted_at is null;
create index prompts_by_license on prompts (license, trending desc, id desc)
  where visibility = 'public' and status = 'published' and deleted_at is null;
create index prompts_by_rating on prompts (rating, trending desc, id desc)
  where visibility = 'public' and status = 'published' and deleted_at is null;
create index prompts_by_evals on prompts (has_evals, trending desc, id desc)
  where visibility = 'public' and status = 'published' and deleted_at is null;
create index prompts_by_source on prompts (forked_from_id, trending desc, id desc)
  where visibility = 'public' and status = 'published' and deleted_at is null and forked_from_id is not null;
create index prompts_by_tag on prompts using gin (tags)
  where visibility = 'public' and status = 'published' and deleted_at is null;

-- What full-text search looks through; written with the change that it shows.
create table search_documents (
  type text not null check (type in ('prompt')),
  id text not null,
  document tsvector not null,
  primary key (type, id)
);
insert into search_documents (type, id, document)
select 'prompt', p.id,
  setweight(to_tsvector('english', translate(p.title, mark.s, mark.spaces)), 'A')
    || setweight(to_tsvector('english', array_to_string(p.tags, ' ')), 'B')
    || setweight(to_tsvector('english', translate(coalesce(p.summary, ''), mark.s, mark.spaces)), 'C')
    || setweight(to_tsvector('english',
      translate(coalesce(left(convert_from(b.content, 'UTF8'), 65536), ''), mark.s, mark.spaces)), 'D')
from prompts p left join versions v on v.prompt_id = p.id and v.n = p.latest_version
  left join version_files f on f.version_id = v.id and f.path = v.entry left join blobs b on b.sha256 = f.sha256
  cross join (select $$!#$%&'()*+,./:;<=>?@[\]^_`{|}~$$ as s, repeat(' ', 30) as spaces) mark
where p.deleted_at is null;
create index search_documents_by_word on search_documents using gin (document);

-- Only a moderator takes back what a moderator yanked.
alter table versions add yanked_as_moderator boolean not null default false;

-- The order of moves is that of `seq`; two can fall into one millisecond. By itself it has no index: whoever read the
-- newest moves of one label could be led through everybody's.
alter table label_moves rename column id to seq;
alter table label_moves drop constraint label_moves_pkey;
drop index label_moves_by_label;
alter table label_moves add primary key (prompt_id, name, seq);
alter table label_moves add id text not null default new_id('lmv');
-- Where a label was at a moment is the last move until then, found at once among however many.
create index label_moves_by_time on label_moves (prompt_id, name, at desc, seq desc);

alter table drafts
  add size int not null default 0,
  -- What a commit would refuse.
  add problems jsonb not null default '[]';
update drafts set
  files = (
    select jsonb_agg('{"encoding": "utf8", "mode": "100644"}' || file order by place)
    from jsonb_array_elements(files) with ordinality as sent (file, place)
  ),
  size = (
    select sum(octet_length(case file ->> 'encoding' when 'base64' then decode(file ->> 'content', 'base64')
      else convert_to(file ->> 'content', 'UTF8') end))
    from jsonb_array_elements(files) file
  )
  where jsonb_array_length(files) > 0;

create index watches_by_user on watches (user_id, watched_at desc, prompt_id desc);
-- An account follows its own prompts without a row, since they were made.
create index prompts_by_age on prompts (owner_id, created_at desc, id desc) where deleted_at is null;

create index eval_runs_by_prompt on eval_runs (prompt_id, id);
create index eval_results_by_status on eval_results (run_id, status, index, id);

-- Ids sort by the time of their making, so that the log needs no column more. What failed is rare: a webhook is
-- disabled after fifteen failures in a row.
drop index deliveries_log;
create index deliveries_log on deliveries (webhook_id, id);
create index deliveries_by_event on deliveries (webhook_id, event, id);
create index deliveries_by_status on deliveries (webhook_id, status, id) where status <> 'succeeded';
