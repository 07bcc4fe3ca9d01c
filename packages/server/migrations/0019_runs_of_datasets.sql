-- Runs name the dataset whose cases were run, as it was then. The name stays when the dataset is renamed or deleted.
alter table eval_runs
  add dataset_id text references eval_datasets,
  add dataset_name text,
  add dataset_revision int,
  -- Not shown any more. Its results are deleted in parts, and then the run.
  add deleted_at timestamptz,
  add check ((dataset_id is null) = (dataset_name is null) and (dataset_id is null) = (dataset_revision is null));

drop index eval_runs_pinned;
create unique index eval_runs_pinned on eval_runs (prompt_id, version_n, model, dataset_id) nulls not distinct where pinned;
create index eval_runs_by_dataset on eval_runs (prompt_id, dataset_id, id);
create index eval_runs_deleted on eval_runs (deleted_at) where deleted_at is not null;
-- Scores are listed by it. Cursors show what lists are sorted by, and the id of a private dataset is nobody's business.
create index eval_runs_by_score on eval_runs
  (prompt_id, version_n desc, model, (coalesce(md5(dataset_id), '')), id desc)
  where status = 'completed' and deleted_at is null;
create index eval_runs_by_version on eval_runs (prompt_id, version_n, id);
create index eval_runs_by_status on eval_runs (prompt_id, status, id);
