-- The account at Discord that each account is linked with. It is no way to sign in.
create table discord_links (
  user_id text primary key references users,
  discord_id text not null unique,
  -- Its name there when it was linked.
  username text not null,
  linked_at timestamptz not null default clock()
);

-- The last code that /link showed each account at Discord, until it expires.
create table discord_codes (
  discord_id text primary key,
  username text not null,
  -- The command that asked for it. Their numbers grow: one that is sent again, or late, makes no other code.
  interaction_id numeric(20) not null,
  code_hash bytea not null unique,
  expires_at timestamptz not null,
  -- Who used it. It works for nobody else, and for them it is a repetition.
  used_by_id text references users
);
create index discord_codes_by_end on discord_codes (expires_at);
