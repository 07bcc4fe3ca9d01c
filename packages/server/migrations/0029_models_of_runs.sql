-- The model's id in the catalogue of the release that made the run; null if it is not there.
alter table eval_runs add model_id text;
