-- Whether a payment that succeeds after its order lapsed is kept or refunded. Contract 19.3.
alter table accounts add column late_payments text not null default 'keep'
  constraint accounts_late_payments_check check (late_payments in ('keep', 'refund'));
