-- When a token was used last, to five minutes.
alter table tokens add last_used_at timestamptz;
