/** The notes that operators wrote when they resolved deliveries and flags. A note may contain personal data. */
import type { Transaction } from '../../postgres/database.ts';

type Note = { readonly key: readonly string[]; readonly note: string };

/** All notes of an account, in one page: operators write few. The lock ends the race of two erasures. */
export async function lockNotes(tx: Transaction, accountId: string): Promise<Note[]> {
  const audit = await tx.query<{ audit_id: string; note: string }>({
    text: `select audit_id, note from audit where account_id = $1 and note is not null for update`,
    values: [accountId],
  });
  const resolutions = await tx.query<{ subject: string; flag: string; note: string }>({
    text: 'select subject, flag, note from review_resolutions where account_id = $1 for update',
    values: [accountId],
  });
  return [
    ...audit.rows.map(({ audit_id, note }) => ({ key: [audit_id], note })),
    ...resolutions.rows.map(({ subject, flag, note }) => ({ key: [subject, flag], note })),
  ];
}

export async function saveNote(
  tx: Transaction,
  accountId: string,
  { key: [id, flag], note }: Note,
) {
  await tx.query(
    flag === undefined
      ? {
          text: 'update audit set note = $3 where account_id = $1 and audit_id = $2',
          values: [accountId, id, note],
        }
      : {
          text: `update review_resolutions set note = $4
                  where account_id = $1 and subject = $2 and flag = $3`,
          values: [accountId, id, flag, note],
        },
  );
}
