-- What an account wrote, wherever it stands.
create index comments_by_author on comments (author_id, id) where status <> 'deleted';
