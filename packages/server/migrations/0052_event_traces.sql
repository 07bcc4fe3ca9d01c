-- What the request that wrote an event belongs to, as its header traceparent says. Null if nobody traces.
alter table events add traceparent text;
