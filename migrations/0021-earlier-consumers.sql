-- Keyed digests of the e-mail addresses and phone numbers that an order had before update order or resolve user changed
-- them, so that erasing an earlier consumer finds the order. Null if the consumer never changed. Contract 8.7.
alter table orders add column earlier_consumers json;
