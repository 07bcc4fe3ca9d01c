-- By what exact duplicates are found: the digest of the text of a version's entry, without case, space and names of variables. Empty
-- if there is no text to compare, null until the worker has read an older version.
alter table versions add text_hash bytea;
alter table import_items add text_hash bytea;
-- Items before it that say nearly the same, as `position` and `similarity`.
alter table import_items add near jsonb not null default '[]';

create index versions_by_text on versions (text_hash, id) where text_hash <> '';
create index versions_without_text_hash on versions (id) where text_hash is null;
