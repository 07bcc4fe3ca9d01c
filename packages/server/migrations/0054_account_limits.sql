-- How many bytes an operator lets an account store. Null: as many as others.
alter table users add max_bytes bigint check (max_bytes >= 0);
