-- The plans of statements that save the results of events, made while the tables are empty: see 0010.
-- Stops writes: for a moment; it sets the statistics of two columns.
do $$
declare
  told text;
begin
  if to_regproc('pg_catalog.pg_restore_attribute_stats') is null then
    return;
  end if;
  foreach told in array array['events', 'endpoints']
  loop
    if not exists (select from pg_stats where tablename = told and schemaname = current_schema()) then
      perform pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', told,
        'attname', 'account_id', 'inherited', false,
        'null_frac', 0::real, 'avg_width', 21, 'n_distinct', 1::real);
    end if;
  end loop;
end $$;
