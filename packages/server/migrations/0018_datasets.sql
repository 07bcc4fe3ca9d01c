-- Cases that versions of a prompt are tried on. Changed under the row locks of the prompt and of the dataset.
create table eval_datasets (
  id text primary key default new_id('eds'),
  prompt_id text not null references prompts,
  name text not null,
  description text,
  visibility text not null check (visibility in ('public', 'private')),
  -- Rises with every change of cases. `revision` rises with every other change too: it is for ETags.
  case_revision int not null default 1,
  case_count int not null default 0,
  last_position int not null default 0,
  created_at timestamptz not null default clock(),
  updated_at timestamptz not null default clock(),
  deleted_at timestamptz,
  revision bigint not null default 1
);
create unique index eval_datasets_by_name on eval_datasets (prompt_id, name) where deleted_at is null;

create table eval_cases (
  id text primary key default new_id('ecs'),
  dataset_id text not null references eval_datasets,
  key text not null,
  position int not null,
  variables jsonb not null,
  messages jsonb,
  expected jsonb,
  assertions jsonb not null,
  tags text[] not null,
  weight double precision not null,
  -- About how long it is as JSON: pages of long ones end early.
  size int not null generated always as (octet_length(variables::text) + octet_length(assertions::text)
    + coalesce(octet_length(messages::text), 0) + coalesce(octet_length(expected::text), 0)) stored,
  unique (dataset_id, key)
);
create index eval_cases_by_position on eval_cases (dataset_id, position);
