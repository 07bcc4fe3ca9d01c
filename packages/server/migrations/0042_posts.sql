-- Tags of posts, beside those of prompts and makes.
alter table tags add post_count bigint not null default 0;
alter table tag_changes add post_delta int not null default 0;
create index tags_shown on tags (prompt_count desc, name) where prompt_count > 0 or make_count > 0 or post_count > 0;
create index tags_shown_by_name on tags (name) where prompt_count > 0 or make_count > 0 or post_count > 0;
create index tags_shown_by_likeness on tags using gin (name gin_trgm_ops) where prompt_count > 0 or make_count > 0 or post_count > 0;
-- The indexes tags_in_use… stay for a release: servers of the last one may still run.

-- Whose posts are published without a review.
alter table users add trusted_author boolean not null default false;

-- Posts of one author in an order.
create table post_series (
  id text primary key default new_id('ser'),
  owner_id text not null references users,
  slug text not null,
  title text not null,
  description text,
  -- The order of its posts. What left the series may still be named: `posts.series_id` decides.
  post_ids text[] not null default '{}',
  created_at timestamptz not null default clock(),
  updated_at timestamptz not null default clock(),
  deleted_at timestamptz,
  revision bigint not null default 1
);
create unique index post_series_by_owner on post_series (owner_id, slug) where deleted_at is null;

create table posts (
  id text primary key default new_id('pst'),
  owner_id text not null references users,
  slug text not null,
  status text not null default 'draft' check (status in ('draft', 'in_review', 'published')),
  -- The revision that everybody reads, and the one that is being written. Both can be the same. Without references, since revisions
  -- refer to their post.
  public_id text,
  working_id text not null,
  tags text[] not null,
  cover_media_id text references media,
  series_id text references post_series,
  submission_note text,
  submitted_at timestamptz,
  -- The last decision of a moderator.
  decision text check (decision in ('approved', 'rejected', 'unpublished')),
  decision_reason text,
  decided_by text references users,
  decided_at timestamptz,
  -- The words of the public title, the tags, the public summary and body.
  document tsvector not null default '',
  -- The lower bound of its votes, of the last hour.
  score float8 not null default 0,
  created_at timestamptz not null default clock(),
  updated_at timestamptz not null default clock(),
  published_at timestamptz,
  deleted_at timestamptz,
  revision bigint not null default 1,
  unique (owner_id, slug),
  check ((status = 'in_review') = (submitted_at is not null)),
  check (status = 'in_review' or (status = 'published') = (public_id is not null)),
  check (public_id is null or published_at is not null)
);

create table post_revisions (
  id text primary key default new_id('rev'),
  post_id text not null references posts,
  number int not null,
  kind text not null check (kind in ('autosave', 'save', 'submit', 'publish', 'restore')),
  author_id text not null references users,
  title text not null,
  summary text,
  body text not null,
  body_html text,
  body_renderer smallint not null default 0,
  words int not null,
  created_at timestamptz not null default clock(),
  saved_at timestamptz not null default clock(),
  unique (post_id, number)
);

create index posts_by_owner on posts (owner_id, id) where deleted_at is null;
create index posts_by_publication on posts (published_at desc, id desc) where public_id is not null and deleted_at is null;
create index posts_by_score on posts (score desc, id desc) where public_id is not null and deleted_at is null;
-- Of all: what is not public has no words, and a search names nothing else, so that it is read by no other index.
create index posts_by_word on posts using gin (document);
create index posts_by_tag on posts using gin (tags) where public_id is not null and deleted_at is null;
-- Without the condition of the lists, so that these are not read by them, which have another order.
create index posts_by_slug on posts (slug);
create index posts_by_series on posts (series_id, id) where series_id is not null;
create index posts_in_review on posts (submitted_at, id) where status = 'in_review' and deleted_at is null;
create index post_revisions_by_renderer on post_revisions (body_renderer, id);
create index post_revisions_unpublished on post_revisions (post_id, number) where kind <> 'publish';

-- Texts count for what an account stores, with their HTML.
create function count_text() returns trigger language plpgsql as $$
declare
  before bigint := case when tg_op = 'INSERT' then 0 else octet_length(old.body) + coalesce(octet_length(old.body_html), 0) end;
  after bigint := case when tg_op = 'DELETE' then 0 else octet_length(new.body) + coalesce(octet_length(new.body_html), 0) end;
begin
  if after <> before then
    insert into counter_changes (subject_id, name, delta) values (coalesce(new.author_id, old.author_id), 'bytes', after - before);
  end if;
  return null;
end $$;
create trigger count_text after insert or delete or update of body, body_html on post_revisions
  for each row execute function count_text();

-- HTML of an article with the addresses of its pictures. Those of a draft are for whoever is shown it: they work for an hour or two, and
-- only pictures of its author have any.
create function with_pictures(html text, origin text, author text, is_public boolean) returns text language plpgsql stable as $$
declare
  picture record;
begin
  if position('<img src="media:' in html) = 0 then
    return html;
  end if;
  if not is_public then
    for picture in
      select distinct m.id, m.link_secret from regexp_matches(html, '<img src="media:(med_[0-9a-z]{26})"', 'g') named (ids)
        join media m on m.id = named.ids[1] where m.owner_id = author
    loop
      html := replace(html, '"media:' || picture.id || '"', '"' || origin || '/media/' || picture.id
        || replace(media_link(picture.link_secret, '/media/' || picture.id), '&', '&amp;') || '"');
    end loop;
  end if;
  return replace(html, '<img src="media:', '<img src="' || origin || '/media/');
end $$;

-- Collections count what everybody is shown of posts, as of prompts.
create trigger note_collected after update of public_id, deleted_at on posts
  for each row when ((old.public_id is null, old.deleted_at) is distinct from (new.public_id is null, new.deleted_at))
  execute function note_collected();
