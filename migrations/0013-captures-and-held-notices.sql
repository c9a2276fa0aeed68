-- Captures, voids and refunds are assigned to transactions by looking at all records of a provider order.

-- Notices that belong to no known transaction. Null for nearly every order.
alter table orders add column held_notices json;

-- Converts notices to the shape that the new rules read, so that the next delivery of an order can be folded with them.
-- A stored capture has the id of its payment and the captured total of its order; its own amount is only in the inbox,
-- from which "order rebuild" folds such an order again.
update transactions t
   set notices = (select json_agg(
         case
           when n.value ? 'isCapture' then
             n.value - 'isCapture' - 'aliasPspId'
               || jsonb_build_object('record', 'capture', 'pspOrder', n.psp_order,
                    'pspTransactionId', coalesce(n.value->>'aliasPspId', n.value->>'pspTransactionId'))
               || case when n.value ? 'aliasPspId'
                    then jsonb_build_object('targetPspId', n.value->'pspTransactionId') else '{}' end
               || case when n.value->>'status' = 'succeeded' and n.value ? 'amount'
                    then jsonb_build_object('capturedTotal', jsonb_build_object('amount', n.value->'amount',
                           'atMs', coalesce(n.value->'occurredAtMs', '0'))) else '{}' end
           when n.value ? 'voidPspId' then
             n.value - 'voidPspId' - 'makesTransaction'
               || jsonb_build_object('record', 'void-payment', 'pspOrder', n.psp_order,
                    'pspTransactionId', n.value->'voidPspId', 'targetPspId', n.value->'pspTransactionId')
           when n.value ? 'makesTransaction' then
             n.value - 'makesTransaction' || jsonb_build_object('record', 'authentication', 'pspOrder', n.psp_order)
           else n.value || jsonb_build_object('pspOrder', n.psp_order)
         end order by n.place)
         from (select value, place, regexp_replace(value->>'pspTransactionId', '\|[^|]*$', '') as psp_order
                 from jsonb_array_elements(t.notices::jsonb) with ordinality as e (value, place)) n)
 where t.provider = 'bank-gateway' and t.type = 'payment' and json_array_length(t.notices) > 0;
