-- Prompts of which a CDN must forget what it has: each is sent at once, and once more when no older response can be on its way.
create table purges (
  id bigint generated always as identity primary key,
  prompt_id text not null references prompts,
  requested_at timestamptz not null default clock(),
  -- When the CDN took it first.
  sent_at timestamptz,
  due_at timestamptz not null default clock(),
  attempts int not null default 0
);
create index purges_due on purges (due_at);
