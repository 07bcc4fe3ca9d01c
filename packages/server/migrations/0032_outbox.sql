-- Jobs that a change leaves behind. The worker adds them to its queue after the commit: adding a job notifies, and PostgreSQL
-- commits transactions that notify one after the other. Events are an outbox of their own.
create table outbox (
  id bigint generated always as identity primary key,
  task text not null,
  payload json not null
);

-- How far the fan-out of an event has come: the last account that it has reached.
alter table events add fanned_out_to text not null default '';
