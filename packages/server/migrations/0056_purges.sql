-- Prompts of which a CDN must forget what it has: each is sent at once, and once more when no older response can be on its way.
create table purges (
  prompt_id text primary key references prompts,
  requested_at timestamptz not null default clock(),
  -- How often it was requested, since it can be requested again while it is sent.
  requests int not null default 1,
  -- When the CDN took it first.
  sent_at timestamptz,
  due_at timestamptz not null default clock(),
  attempts int not null default 0
);
create index purges_due on purges (due_at);
