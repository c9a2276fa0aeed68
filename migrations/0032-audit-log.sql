-- The audit log names people and where they acted from, and lists the newest entries first. Contract 13.3.

-- Null for the command line, and for what was written before there were users.
alter table audit add column user_id text;
alter table audit add column address text;

-- Pages of the log, newest first.
create index audit_by_time on audit (account_id, at desc, audit_id desc);

-- Append-only: the role of the service loses the right to change or delete entries. It keeps the right to change notes,
-- because a note may mention a consumer whose data has to be erased (contract 8.7).
revoke update, delete, truncate on audit from current_user;
grant update (note) on audit to current_user;
