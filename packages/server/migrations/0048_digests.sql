-- When an account's last digest was due. The next one is due a day later.
alter table users add digest_at timestamptz;
create index users_by_digest on users (coalesce(digest_at, '-infinity'::timestamptz))
  where preferences ->> 'emailDigest' = 'true' and email is not null;
