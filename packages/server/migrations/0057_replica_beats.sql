-- The last beat of each server with replicas: a replica that has it has all that was committed before it.
create table replica_beats (
  process text primary key,
  beat bigint not null,
  beaten_at timestamptz not null default clock()
) with (fillfactor = 20);
