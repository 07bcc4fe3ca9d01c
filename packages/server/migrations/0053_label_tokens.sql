-- What the token was called by which a label was moved.
alter table label_moves add token_name text;
