-- The oldest release that works on this schema. Programs that are older refuse to start.
-- A migration that takes away what a release needs replaces this function; CONTRIBUTING.md says when it may.
create function oldest_release() returns text language sql immutable parallel safe as $$ select '0.1.0' $$;
