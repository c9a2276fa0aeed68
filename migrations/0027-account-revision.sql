-- Grows with every change of an account or of its secrets, so that a process can check with one small read whether the
-- accounts that it has cached are still current.
alter table accounts add column revision bigint not null default 0;
