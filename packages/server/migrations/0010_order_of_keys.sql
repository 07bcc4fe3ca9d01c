-- Settings are handed to models as they were written: the order of the fields in a schema is that in which they are
-- answered. jsonb sorts keys, by length first.
alter table versions alter column config type json, alter column variables type json;
