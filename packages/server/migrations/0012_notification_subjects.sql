-- A notification can be about any kind of thing. The prefix of the id tells which kind, so that rows stay as narrow as they
-- were and none is rewritten.
alter table notifications rename prompt_id to subject_id;
-- Nothing has read it: what an account can see is asked of its own notification.
alter table notices drop prompt_id;
