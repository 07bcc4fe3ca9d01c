-- A secret for each day, with which its viewers are hashed. Once it is deleted, nobody can find out who they were.
create table daily_salts (
  day date primary key,
  salt bytea not null
);

-- Who viewed, downloaded or opened what on a day: each counts once. It succeeds `activity`, which a release before this one still writes.
create table daily_viewers (
  day date not null,
  -- A prompt, a make, or a file of a make.
  subject_id text not null,
  act text not null check (act in ('view', 'download', 'open')),
  viewer bytea not null,
  primary key (day, subject_id, act, viewer)
);

-- What happened to a thing on a day: in all, and for each version, format, tool and referrer. Rows of today change each second, within their page.
create table daily_figures (
  subject_id text not null,
  part text not null check (part in ('all', 'version', 'format', 'target', 'referrer')),
  day date not null,
  key text not null,
  views int not null default 0,
  unique_views int not null default 0,
  raw_reads int not null default 0,
  downloads int not null default 0,
  installs int not null default 0,
  opens int not null default 0,
  stars int not null default 0,
  forks int not null default 0,
  comments int not null default 0,
  primary key (subject_id, part, day, key)
) with (fillfactor = 80);
