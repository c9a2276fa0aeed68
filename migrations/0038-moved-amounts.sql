-- What a transaction has moved, in the currency of its order, for figures, lists and exports. Rows of before have none;
-- their status and amount tell it, except for refunds that were split: "order rebuild --all" writes those.
-- Stops writes: for a moment; it adds a column without a value.
alter table transactions add column moved_amount bigint;
