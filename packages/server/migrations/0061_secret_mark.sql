-- The key of the PROMPTREG_SECRET that processes of this database use. One with another secret is refused, before anything is encrypted with it.
create table secret_mark (
  is_only boolean primary key default true check (is_only),
  key_id text not null
);
