-- When an account was deleted. Its row stays, without a person: what others did with its things names it.
alter table users add deleted_at timestamptz;
-- A handle of a deleted account that leads nowhere: null. Nobody else gets it.
alter table former_handles alter user_id drop not null;
-- Raised when something of a version had to change after all: the handle of an author whose account was deleted. ETags tell it.
alter table versions add edition int not null default 0;
-- What else has a content that a deleted version had.
create index version_files_by_content on version_files (sha256);
