-- A query plan made while a table is empty stays in use until the first analyze, often a minute after the first start.
-- Without statistics the planner assumes that account_id, the first column of every index, matches one or two rows,
-- so any index seems good enough; every request then reads all rows of the account. This sets the statistics that the
-- first analyze will find: nearly all rows have the same account_id. PostgreSQL before 18 has no function for it.
do $$
declare
  told text;
begin
  if to_regproc('pg_catalog.pg_restore_attribute_stats') is null then
    return;
  end if;
  foreach told in array array['orders', 'transactions', 'deliveries', 'delivery_references', 'history', 'provider_orders']
  loop
    if not exists (select from pg_stats where tablename = told and schemaname = current_schema()) then
      perform pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', told,
        'attname', 'account_id', 'inherited', false,
        'null_frac', 0::real, 'avg_width', 21, 'n_distinct', 1::real);
    end if;
  end loop;
end $$;
