-- What the files of an account take, counted as they are written: contents that were not stored before, 256 bytes for each file
-- that a version lists, and drafts. What is here already counts as if each account had written its contents itself.
insert into counters (subject_id, name, value)
  select owner_id, 'bytes', sum(bytes) from (
    select p.owner_id, f.sha256, max(f.size) + 256 * count(*) as bytes
    from version_files f join versions v on v.id = f.version_id join prompts p on p.id = v.prompt_id
    group by p.owner_id, f.sha256
    union all
    select p.owner_id, null, d.size from drafts d join prompts p on p.id = d.prompt_id
  ) written group by owner_id;
