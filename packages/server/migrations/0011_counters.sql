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

insert into counters (subject_id, name, value)
  select prompt_id, 'watchers', count(*) from watches where level <> 'ignore' group by prompt_id;
