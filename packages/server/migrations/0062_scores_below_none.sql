-- By the lower bound alone, what has only votes against it is as good as what has none, or better by what rounding leaves.
create or replace function wilson_bound(up double precision, down double precision) returns double precision
language sql immutable parallel safe as $$
  select case when up + down <= 0 then 0 when up <= 0 then -down / (down + 3.8416) else
    ((up + 1.9208) / (up + down) - 1.96 * sqrt(up * down / (up + down) + 0.9604) / (up + down)) / (1 + 3.8416 / (up + down))
  end
$$;
-- Posts are ranked anew each hour.
insert into comment_votes (comment_id) select distinct target_id from votes where value < 0 and target_id like 'cmt\_%';
