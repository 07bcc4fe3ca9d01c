-- What the Markdown of a change request comes to, and the number of the renderer that made it; 0: it is not rendered yet. The
-- worker finds by the number what to render.
alter table change_requests add body_html text, add body_renderer smallint not null default 0;

-- An older release changes a text and leaves its HTML: that of a former text has a negative number, is not shown, and is
-- made anew. Triggers run in the order of their names.
create function turn_renderer() returns trigger language plpgsql as $$
begin
  new.body_renderer := -new.body_renderer;
  return new;
end $$;
create trigger body_1_alone before update of body on change_requests
  for each row when (new.body is distinct from old.body) execute function turn_renderer();
create trigger body_2_with_html before update of body_renderer on change_requests
  for each row when (new.body_renderer < 0) execute function turn_renderer();

create index change_requests_by_renderer on change_requests (body_renderer, target_id, n) where body is not null;
