-- Pending is what has not completed. Said in these words here and by the sweep alone, because a drain that asked for
-- its own webhook's next delivery was given this index as soon as one webhook had most of what waits, and read all of it.
drop index deliveries_overdue;
create index deliveries_overdue on deliveries (next_attempt_at) where completed_at is null;
