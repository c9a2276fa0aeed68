-- Whom an order was for before update order or resolve user changed its e-mail address or phone number: keyed digests, so
-- that erasing them finds the order. Null for an order whose consumer never changed. Contract 8.7.
alter table orders add column earlier_consumers json;
