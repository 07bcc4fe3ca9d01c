-- What the processes tell each other of the requests they let pass. A crash may empty it: limits then begin anew.
create unlogged table rate_counts (
  policy text not null,
  -- Windows since 1970.
  slot bigint not null,
  -- A keyed digest of the address, token or thing: it names none of them.
  key bytea not null,
  used int not null,
  primary key (policy, slot, key)
);
