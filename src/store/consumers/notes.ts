/** The notes that operators wrote when they resolved deliveries and flags. A note may contain personal data. */
import type { Transaction } from '../../postgres/database.ts';
import { execute, listRows } from '../query.ts';

type Note = { readonly key: readonly string[]; readonly note: string };

/** All notes of an account, in one page: operators write few. The lock ends the race of two erasures. */
export async function lockNotes(tx: Transaction, accountId: string): Promise<Note[]> {
  const audit = await listRows<Note>(tx, [accountId])`
    select array[audit_id] as key, note from audit
     where account_id = $1 and note is not null for update`;
  const resolutions = await listRows<Note>(tx, [accountId])`
    select array[subject, flag] as key, note from review_resolutions
     where account_id = $1 for update`;
  return [...audit, ...resolutions];
}

export async function saveNote(
  tx: Transaction,
  accountId: string,
  { key: [id, flag], note }: Note,
) {
  if (flag === undefined)
    await execute(tx, [accountId, id, note])`
      update audit set note = $3 where account_id = $1 and audit_id = $2`;
  else
    await execute(tx, [accountId, id, flag, note])`
      update review_resolutions set note = $4
       where account_id = $1 and subject = $2 and flag = $3`;
}
