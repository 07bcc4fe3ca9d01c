-- What people report to moderators.
create table reports (
  id text primary key default new_id('rpt'),
  reporter_id text not null references users,
  kind text not null,
  -- The id of what is reported; for a version or a change request the id of its prompt, @ or ! and its number.
  subject_id text not null,
  -- Its address when it was reported. Its present one can be none of the reporter's business.
  address text not null,
  -- The prompt that decides who sees it. Null for what belongs to none.
  prompt_id text references prompts,
  -- Whose it is.
  owner_id text not null references users,
  reason text not null check (
    reason in ('spam', 'malware', 'prompt_injection', 'illegal', 'harassment', 'copyright', 'privacy', 'other')
  ),
  details text,
  status text not null default 'open' check (status in ('open', 'resolved', 'dismissed')),
  action text check (action in ('none', 'hidden', 'removed', 'rated')),
  note text,
  handled_by text references users,
  created_at timestamptz not null default clock(),
  handled_at timestamptz,
  revision bigint not null default 1,
  check ((status = 'open') = (action is null) and (status = 'open') = (handled_at is null))
);
-- One open report for a person and a thing.
create unique index reports_open on reports (reporter_id, subject_id) where status = 'open';
create index reports_queue on reports (status, id);
create index reports_by_reason on reports (status, reason, id);
create index reports_by_subject on reports (subject_id, status, id);
create index reports_by_address on reports (address, status, id);
create index reports_by_reporter on reports (reporter_id, status, id);

-- Open reports on it, and on what belongs to it: while there are any, moderators see it though it is private.
alter table prompts add open_reports int not null default 0;
alter table collections add open_reports int not null default 0;

-- Comments that wait for a moderator.
create index comments_held on comments (id) where status = 'held';
