/**
 * Checks that a pooler keeps prepared statements. One that gives each transaction another server connection, such as
 * PgBouncer in transaction mode, has to prepare them again by itself: PgBouncer does since 1.21. Contract 15.2.
 */
import { StartError } from '../domain/start-error.ts';
import type { Server } from './address.ts';
import { sqlState } from './error-classes.ts';
import { databaseLimits } from './limits.ts';
import { createClient } from './probe.ts';

const statement = { name: 'check-pooler', text: 'select pg_backend_pid() as pid' };
const unknownStatement = '26000';

export async function checkPooler(server: Server): Promise<void> {
  const { databaseConnectMsMax, databaseAnswerMsMax } = databaseLimits;
  const open = () => createClient(server, databaseConnectMsMax, databaseAnswerMsMax);
  const [one, other] = [open(), open()];
  try {
    await Promise.all([one.connect(), other.connect()]);
    await one.query(statement);
    // Takes the server connection that the first client has just given back, if it has: a pooler in session mode keeps
    // it for the client.
    await other.query('begin');
    await other.query('select 1');
    await one.query(statement);
  } catch (error) {
    if (sqlState(error) !== unknownStatement) throw error;
    throw new StartError(
      'The pooler of DATABASE_URL loses prepared statements: use PgBouncer 1.21 or newer with max_prepared_statements = 200, or pool_mode = session.',
    );
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
}
