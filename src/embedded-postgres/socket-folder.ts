/** The folder of the database's socket: the server writes there, the service passes, and nobody else. */
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StartError } from '../domain/start-error.ts';
import { type Ids, makeOwnFolder } from './durable-file.ts';
import type { ServerUser } from './server-user.ts';

/** Beside the folder of the data, which PostgreSQL wants for itself alone. */
export function socketDirOf(directory: string): string {
  // A socket's path may have some 100 bytes; a folder that is deeper gets a short one instead.
  const pathBytesMax = 80;
  const beside = join(dirname(directory), 'socket');
  if (Buffer.byteLength(beside) <= pathBytesMax) return beside;
  const digest = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  return join(tmpdir(), `payment-order-service-${digest}`);
}

/**
 * Where server and service are two users, the folder has the group of the service, and hands it on to the socket.
 * Gives back the mode of the socket.
 */
export async function makeSocketFolder(
  path: string,
  { ids }: ServerUser,
  service: Ids | undefined,
): Promise<string> {
  const isShared = ids !== undefined && service !== undefined && service.uid !== ids.uid;
  const owner = isShared ? { uid: ids.uid, gid: service.gid } : ids;
  const withGroup = 0o2710;
  await makeOwnFolder(path, { owner, mode: isShared ? withGroup : 0o700 }).catch(
    (error: NodeJS.ErrnoException) => {
      // Somebody else may have been here first, with a folder of their own or a link to one.
      if (error.code !== undefined && error.code !== 'ELOOP' && error.code !== 'ENOTDIR')
        throw error;
      throw new StartError(
        `The folder ${path} belongs to another user: remove it and start again.`,
      );
    },
  );
  return isShared ? '0770' : '0700';
}
