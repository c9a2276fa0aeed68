-- What an order is about is kept and read as a whole: json is stored as it comes, jsonb is taken apart with every
-- order that is created, and put together again whenever it is read.
alter table orders alter column details type json using details::json;
