-- The media of an example, in their order. An example without media has an output; the last release showed null as well.
alter table examples add column media_ids text[] not null default '{}';
alter table examples alter column output drop not null;
alter table examples add check (output is not null or cardinality(media_ids) > 0);
