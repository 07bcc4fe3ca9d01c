-- The lower end of the interval in which the share of votes up lies with 95 %, by Wilson. Few votes say little.
create function wilson_bound(up double precision, down double precision) returns double precision
language sql immutable parallel safe as $$
  select case when up + down <= 0 then 0 else
    ((up + 1.9208) / (up + down) - 1.96 * sqrt(up * down / (up + down) + 0.9604) / (up + down)) / (1 + 3.8416 / (up + down))
  end
$$;

-- What people write about a prompt, one of its versions or a change request, in threads of two levels.
create table comments (
  id text primary key default new_id('cmt'),
  -- The prompt that decides who sees it. Null for what belongs to none.
  prompt_id text references prompts,
  -- What it is about: the id of a prompt, and for a version or a change request of it @ or ! and its number.
  target text not null,
  -- The comment that began its thread.
  parent_id text references comments,
  -- The comment that it answers: that one, or a reply in its thread.
  reply_to text references comments,
  -- In which list it stands: of the comments on the target, or of the replies to a comment.
  list text not null generated always as (coalesce(parent_id, target)) stored,
  author_id text not null references users,
  -- Null once it is deleted.
  body text,
  body_html text,
  body_renderer smallint not null default 0,
  -- Of the last text, also of a deleted one: by it a text that is sent again and again is noticed.
  body_hash bytea not null,
  -- About the length of what is printed.
  size int not null generated always as (coalesce(octet_length(body), 0) + coalesce(octet_length(body_html), 0)) stored,
  -- The ids of the accounts that it mentions.
  mentions text[] not null,
  status text not null check (status in ('visible', 'held', 'hidden', 'deleted')),
  -- Of those who replied visibly.
  reply_count int not null default 0,
  -- By votes, some seconds behind.
  score double precision not null default 0,
  -- Whether everybody who sees the target and the thread is shown it. Of a deleted one a stub stays above its replies.
  is_shown boolean not null generated always as (status = 'visible' or status = 'deleted' and reply_count > 0) stored,
  created_at timestamptz not null default clock(),
  edited_at timestamptz,
  -- When everybody was first shown it, and told of it; null while nobody was.
  published_at timestamptz,
  revision bigint not null default 1
);
create index comments_shown on comments (list, id) where is_shown;
create index comments_shown_by_score on comments (list, score desc, id desc) where is_shown;
-- The others, for moderators and for their authors.
create index comments_withheld on comments (list, id) where status in ('held', 'hidden');
create index comments_withheld_by_score on comments (list, score desc, id desc) where status in ('held', 'hidden');
create index comments_withheld_by_author on comments (list, author_id, id) where status in ('held', 'hidden');
create index comments_withheld_by_author_and_score on comments (list, author_id, score desc, id desc)
  where status in ('held', 'hidden');
create index comments_by_target on comments (target, id) where is_shown;
create index comments_by_text on comments (author_id, body_hash, created_at);
create index comments_by_renderer on comments (body_renderer, id) where body is not null;

-- Where only moderators can write more, by `target` of comments.
create table comment_locks (
  target text primary key,
  locked_by text not null references users,
  locked_at timestamptz not null default clock()
);

-- Comments whose votes changed. The worker computes their score: in the vote itself it would make voters wait for each other.
create table comment_votes (
  seq bigint generated always as identity primary key,
  comment_id text not null
);
create function note_comment_vote() returns trigger language plpgsql as $$
begin
  insert into comment_votes (comment_id) select id
    from (select coalesce(new.target_id, old.target_id) as id) voted where starts_with(id, 'cmt_');
  return null;
end $$;
create trigger note_comment_vote after insert or update or delete on votes
  for each row execute function note_comment_vote();

-- Accounts that are told of an event otherwise than by its own notification.
alter table events add notified_ids text[] not null default '{}';
