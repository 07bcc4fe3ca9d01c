-- How many there are of what answers count, by the id of what has them. Changes are appended, so that a thousand people can
-- star one prompt at once and wait for nobody, and added up in batches.
create table counters (
  subject_id text not null,
  name text not null,
  value bigint not null,
  primary key (subject_id, name)
);
create table counter_changes (
  seq bigint generated always as identity primary key,
  subject_id text not null,
  name text not null,
  delta int not null
);
create index counter_changes_by_subject on counter_changes (subject_id, name);

-- Owners follow what is their own without saying so: they are not counted when they do.
insert into counters (subject_id, name, value)
  select w.prompt_id, 'watchers', count(*) from watches w join prompts p on p.id = w.prompt_id
  where w.level <> 'ignore' and w.user_id <> p.owner_id group by w.prompt_id;
