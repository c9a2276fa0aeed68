-- Renames to match the words of the code. A rename changes only the catalog, so it is fast on large tables.
alter table transactions rename column members to fields;
alter table transactions rename column next_ask_at to next_poll_at;
alter table transactions rename column asked_at to polled_at;
alter table transactions rename column asks to polls;
alter index transactions_to_ask rename to transactions_to_poll;
alter table prune_places rename to sweep_cursors;
alter index prune_places_pkey rename to sweep_cursors_pkey;
