-- When work on it last began. Accounts take turns by it.
alter table imports add taken_at timestamptz;
create index imports_by_turn on imports (user_id, taken_at) where taken_at is not null;
