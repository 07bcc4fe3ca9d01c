-- What a token may do of what its account may: `prompts` (slugs, or beginnings of them with `*`), `labels` (null for all) and `creates`. Null: everything.
alter table tokens add restriction jsonb;
