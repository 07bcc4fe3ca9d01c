-- The words of the entry file by themselves, as they stand in the document behind those of title, tags and summary:
-- who changes a title need not have the whole file read again.
alter table search_documents add entry tsvector not null default '';
update search_documents set entry = ts_filter(document, '{d}');
