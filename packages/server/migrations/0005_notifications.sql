-- What accounts are told of, in words, once for all of them: events are forgotten sooner than notifications.
create table notices (
  -- The event's, where it comes from one.
  id text primary key default new_id('ntf'),
  type text not null,
  prompt_id text,
  actor_id text,
  title text not null,
  body text not null,
  url text not null,
  target jsonb not null,
  created_at timestamptz not null
);
create index notices_by_age on notices (created_at);

-- That an account is told of it, once. Narrow, without references and with no more than the lists need: a notice can
-- have ten thousand of them. By itself the id has no index: whoever read one account's newest could be led through
-- everybody's.
create table notifications (
  notice_id text not null,
  user_id text not null,
  -- Holds the time of the notice, so that their order is that of lists.
  id text not null,
  type text not null,
  -- Who cannot see the prompt now does not see the notification.
  prompt_id text,
  read_at timestamptz,
  primary key (notice_id, user_id)
);
create index notifications_by_user on notifications (user_id, id);
create index notifications_by_type on notifications (user_id, type, id);
create index notifications_unread on notifications (user_id, id) where read_at is null;

-- Whose webhook is disabled hears of it by mail, unless they say otherwise. Nothing was mailed before, so that nobody
-- can have meant to refuse it.
alter table users alter preferences
  set default '{"showMature": false, "emailDigest": false, "emailTypes": ["webhook.disabled"]}';
update users set preferences =
    jsonb_set(preferences, '{emailTypes}', coalesce(preferences -> 'emailTypes', '[]') || '["webhook.disabled"]')
  where not coalesce(preferences -> 'emailTypes' ? 'webhook.disabled', false);
