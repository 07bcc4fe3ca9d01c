-- The time of everything that SQL decides. Tests replace this function to turn the clock; no process is asked
-- for the time, so that servers with skewed clocks agree. Milliseconds, because that is what the API shows.
create function clock() returns timestamptz language sql stable parallel safe
  return date_trunc('milliseconds', statement_timestamp());

create function iso(at timestamptz) returns text language sql stable parallel safe
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- 40 bits as eight characters of Crockford's base 32.
create function base32(n bigint) returns text language plpgsql immutable parallel safe as $$
declare
  digits constant text := '0123456789abcdefghjkmnpqrstvwxyz';
begin
  return substr(digits, (n >> 35 & 31)::int + 1, 1) || substr(digits, (n >> 30 & 31)::int + 1, 1)
      || substr(digits, (n >> 25 & 31)::int + 1, 1) || substr(digits, (n >> 20 & 31)::int + 1, 1)
      || substr(digits, (n >> 15 & 31)::int + 1, 1) || substr(digits, (n >> 10 & 31)::int + 1, 1)
      || substr(digits, (n >> 5 & 31)::int + 1, 1) || substr(digits, (n & 31)::int + 1, 1);
end $$;

-- prefix_ and a ULID: 48 bits of milliseconds, 80 random ones (a version 4 UUID's, less its fixed bits).
create function new_id(prefix text) returns text language plpgsql volatile parallel safe as $$
declare
  ms constant bigint := (extract(epoch from clock()) * 1000)::bigint;
  random constant text := encode(uuid_send(gen_random_uuid()), 'hex');
begin
  return prefix || '_' || right(base32(ms >> 40), 2) || base32(ms & 1099511627775)
      || base32(('x' || substr(random, 1, 10))::bit(40)::bigint)
      || base32(('x' || substr(random, 19, 10))::bit(40)::bigint);
end $$;

create table users (
  id text primary key default new_id('usr'),
  handle text not null unique,
  name text,
  bio text,
  website text,
  email text,
  role text not null default 'user' check (role in ('user', 'moderator', 'admin')),
  preferences jsonb not null default '{"showMature": false, "emailDigest": false, "emailTypes": []}',
  suspended_at timestamptz,
  created_at timestamptz not null default clock()
);

create table tokens (
  id text primary key default new_id('tok'),
  user_id text not null references users,
  name text not null,
  -- SHA-256 of the token; the token itself is shown once and kept nowhere.
  hash bytea not null unique,
  -- The first characters, by which its owner recognises it.
  prefix text not null,
  scopes text[] not null,
  role text not null default 'user' check (role in ('user', 'moderator', 'admin')),
  created_at timestamptz not null default clock(),
  expires_at timestamptz,
  revoked_at timestamptz
);
create index tokens_by_user on tokens (user_id, id);

create table prompts (
  id text primary key default new_id('prm'),
  owner_id text not null references users,
  slug text not null,
  kind text not null check (kind in ('text', 'chat', 'media', 'skill', 'agent', 'rule', 'command')),
  title text not null,
  summary text,
  tags text[] not null default '{}',
  license text,
  visibility text not null check (visibility in ('public', 'unlisted', 'private')),
  rating text not null check (rating in ('general', 'sensitive', 'mature')),
  status text not null check (status in ('draft', 'published')),
  -- Raised by every edit, commit, yank and label move: what ETags and If-Match speak of.
  revision bigint not null default 1,
  -- The last number given out, and the highest that is not yanked.
  last_version int not null default 0,
  latest_version int,
  -- The time of the newest event; each event of a prompt is later than the one before.
  last_event_at timestamptz,
  created_at timestamptz not null default clock(),
  updated_at timestamptz not null default clock(),
  published_at timestamptz,
  deleted_at timestamptz,
  -- A deleted prompt keeps its slug, so that an old pin never meets somebody else's text.
  unique (owner_id, slug)
);

-- Contents by digest: a version that changes one file of a hundred stores one.
create table blobs (
  sha256 bytea primary key,
  content bytea not null
);

create table versions (
  id text primary key default new_id('ver'),
  prompt_id text not null references prompts,
  n int not null,
  message text,
  entry text not null,
  content_hash text not null,
  variables jsonb not null,
  config jsonb not null,
  token_estimate int not null,
  -- The handle is a copy: what a pinned version says may never change.
  author_id text not null references users,
  author_handle text not null,
  origin jsonb not null,
  created_at timestamptz not null default clock(),
  yanked_at timestamptz,
  yanked_by text references users,
  yank_reason text,
  unique (prompt_id, n)
);

create table version_files (
  version_id text not null references versions,
  path text collate "C" not null,
  mode text not null check (mode in ('100644', '100755')),
  size int not null,
  sha256 bytea not null references blobs,
  media_type text not null,
  encoding text not null check (encoding in ('utf8', 'base64')),
  primary key (version_id, path)
);

create table drafts (
  prompt_id text primary key references prompts,
  files jsonb not null,
  message text,
  base_version int,
  updated_at timestamptz not null default clock()
);

create table labels (
  prompt_id text not null references prompts,
  name text collate "C" not null,
  version_n int not null,
  reason text,
  updated_at timestamptz not null,
  updated_by text references users,
  primary key (prompt_id, name),
  foreign key (prompt_id, version_n) references versions (prompt_id, n)
);

create table label_moves (
  id bigint generated always as identity primary key,
  prompt_id text not null references prompts,
  name text collate "C" not null,
  from_n int,
  to_n int,
  reason text,
  actor_id text references users,
  at timestamptz not null
);
create index label_moves_by_label on label_moves (prompt_id, name, id);

create table watches (
  prompt_id text not null references prompts,
  user_id text not null references users,
  level text not null check (level in ('releases', 'all', 'ignore')),
  watched_at timestamptz not null default clock(),
  primary key (prompt_id, user_id)
);

create table eval_runs (
  id text primary key default new_id('run'),
  prompt_id text not null references prompts,
  version_n int not null,
  model text not null,
  params jsonb not null,
  threshold double precision not null,
  source jsonb,
  external_id text,
  status text not null default 'running' check (status in ('running', 'completed', 'failed')),
  verdict text check (verdict in ('pass', 'fail')),
  verdict_source text check (verdict_source in ('computed', 'reported')),
  pinned boolean not null default false,
  -- Written when the run ends; until then it is summed up from the results.
  summary jsonb,
  error text,
  created_by text references users,
  created_at timestamptz not null default clock(),
  -- The last sign of life: a running run that is silent for a day is failed.
  heard_at timestamptz not null default clock(),
  finished_at timestamptz,
  unique (prompt_id, external_id),
  foreign key (prompt_id, version_n) references versions (prompt_id, n)
);
create unique index eval_runs_pinned on eval_runs (prompt_id, version_n, model) where pinned;
create index eval_runs_running on eval_runs (heard_at) where status = 'running';

create table eval_results (
  id text not null default new_id('res'),
  run_id text not null references eval_runs,
  case_key text not null,
  attempt int not null,
  index int not null,
  status text not null check (status in ('passed', 'failed', 'errored', 'skipped')),
  score double precision,
  output text,
  output_truncated boolean not null,
  assertions jsonb not null,
  latency_ms int,
  input_tokens int,
  output_tokens int,
  cost_usd double precision,
  error text,
  primary key (run_id, case_key, attempt)
);
create index eval_results_in_order on eval_results (run_id, index, id);

create table webhooks (
  id text primary key default new_id('whk'),
  user_id text not null references users,
  url text not null,
  events text[],
  -- By id, so that a rename changes nothing.
  prompt_ids text[],
  description text,
  disabled_reason text check (disabled_reason in ('owner', 'failures')),
  consecutive_failures int not null default 0,
  -- Raised when the webhook is disabled: pending deliveries of an earlier epoch are dead, and stay dead.
  epoch int not null default 0,
  secret_encrypted bytea not null,
  secret_key_id text not null,
  secret_hint text not null,
  last_delivery_at timestamptz,
  last_success_at timestamptz,
  created_at timestamptz not null default clock(),
  updated_at timestamptz not null default clock(),
  deleted_at timestamptz
);
create index webhooks_by_user on webhooks (user_id, id) where deleted_at is null;

-- The outbox. `body` is what every receiver gets, byte for byte. Partitioned by day, so that forgetting is cheap.
create table events (
  day date not null,
  id text not null,
  name text not null,
  prompt_id text,
  -- The accounts it concerns directly, and the levels at which watchers of the prompt hear of it (none unless public).
  account_ids text[] not null,
  watch_levels text[] not null,
  created_at timestamptz not null,
  body bytea not null,
  fanned_out_at timestamptz,
  primary key (day, id)
) partition by range (day);
create index events_waiting on events (created_at) where fanned_out_at is null;

-- What is due lives here; jobs only wake the worker. An original lies on its event's day, a redelivery on its own.
create table deliveries (
  day date not null,
  id text not null default new_id('dlv'),
  event_day date not null,
  event_id text not null,
  event text not null,
  webhook_id text not null,
  epoch int not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'cancelled')),
  attempts int not null default 0,
  max_attempts int not null default 8,
  next_attempt_at timestamptz,
  -- Held while an attempt is under way: a result that comes without the current token is not recorded.
  lease_token uuid,
  leased_until timestamptz,
  response_status int,
  response_time_ms int,
  response_excerpt bytea,
  error text,
  attempt_log jsonb not null default '[]',
  redelivery_of text,
  created_at timestamptz not null default clock(),
  completed_at timestamptz,
  primary key (day, id)
) partition by range (day);
create unique index deliveries_once on deliveries (day, event_id, webhook_id) where redelivery_of is null;
create index deliveries_due on deliveries (webhook_id, next_attempt_at) where status = 'pending';
create index deliveries_overdue on deliveries (next_attempt_at) where status = 'pending';
create index deliveries_log on deliveries (webhook_id, created_at, id);

-- A day that has no partition of its own is caught here, so that a late or idle server loses nothing.
create table events_other partition of events default;
create table deliveries_other partition of deliveries default;

-- One table a transaction: a new partition locks the default one, and whoever reads both tables in the other order
-- would wait for ever.
create function make_partitions(parent text, first date, days int) returns void language plpgsql as $$
declare
  wanted date;
  name text;
begin
  perform pg_advisory_xact_lock(hashtext('promptreg partitions of ' || parent));
  for wanted in select first + i from generate_series(0, days - 1) i loop
    name := parent || '_' || to_char(wanted, 'YYYYMMDD');
    if to_regclass(name) is null then
      begin
        execute format('create table %I partition of %I for values from (%L) to (%L)', name, parent, wanted, wanted + 1);
      exception when check_violation then
        null; -- rows of that day are in the default partition already and stay there
      end;
    end if;
  end loop;
end $$;
select make_partitions('events', clock()::date, 8);
select make_partitions('deliveries', clock()::date, 8);

-- Answers that are given again when a request is repeated under the same Idempotency-Key.
create table idempotency_keys (
  user_id text not null references users,
  operation text not null,
  key text not null,
  request_hash bytea not null,
  status int not null,
  headers jsonb not null,
  body text not null,
  created_at timestamptz not null default clock(),
  primary key (user_id, operation, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Append-only. Who did what to what, for the cases in which somebody will ask.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock(),
  actor_id text,
  token_id text,
  action text not null,
  target text not null,
  request_id text,
  -- Keyed with PROMPTREG_SECRET: it tells two addresses apart and names neither.
  ip_hash bytea,
  data jsonb not null
);
