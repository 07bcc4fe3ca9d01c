-- Figures of an account: all of a day, and each of its prompts and makes. Without them each look reads the days of thousands of prompts.
alter table daily_figures drop constraint daily_figures_part_check;
alter table daily_figures add constraint daily_figures_part_check
  check (part in ('all', 'version', 'format', 'target', 'referrer', 'subject'));

insert into daily_figures
  (subject_id, part, day, key, views, unique_views, raw_reads, downloads, installs, opens, stars, forks, comments)
select owner_id, 'all', day, '', sum(views), sum(unique_views), sum(raw_reads), sum(downloads), sum(installs), sum(opens), sum(stars), sum(forks), sum(comments)
from daily_figures join (select id, owner_id from prompts union all select id, owner_id from makes) owned on owned.id = subject_id
where part = 'all' group by owner_id, day;

insert into daily_figures (subject_id, part, day, key, views, unique_views, raw_reads, downloads, installs, opens)
select owner_id, 'subject', day, subject_id, views, unique_views, raw_reads, downloads, installs, opens
from daily_figures join (select id, owner_id from prompts union all select id, owner_id from makes) owned on owned.id = subject_id
where part = 'all' and views + raw_reads + downloads + installs + opens > 0;
