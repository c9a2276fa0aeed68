-- The details of an order are only written and read as a whole: json is stored as text, while jsonb is parsed with every
-- created order and rebuilt with every read.
alter table orders alter column details type json using details::json;
