-- How long detections of it had a turn, in milliseconds. Who used least comes first.
alter table imports add worked_ms int not null default 0;
