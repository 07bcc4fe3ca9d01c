create index import_items_by_prompt on import_items (prompt_id) where prompt_id is not null;
