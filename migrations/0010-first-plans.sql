-- A plan that is made while a table is empty is kept until its figures are gathered, often a minute into the
-- life of an installation. Knowing nothing of account_id, which leads every index, the planner takes it to find
-- a row or two and is content with any index; it then reads all rows of the account, for every request. This
-- tells it what the first figures will: that an account has nearly all rows. PostgreSQL before 18 cannot be told.
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
