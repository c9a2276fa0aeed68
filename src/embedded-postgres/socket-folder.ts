/** The folder of the database's socket. Only the server can write there, and only the service can connect. */
import { hash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StartError } from '../domain/start-error.ts';
import { type Ids, makeOwnFolder } from './durable-file.ts';
import type { ServerUser } from './server-user.ts';

/** Beside the cluster folder, which PostgreSQL requires to be private. */
export function socketDirOf(directory: string): string {
  // The path of a socket is limited to about 100 bytes, so a deep folder gets a short path elsewhere.
  const pathBytesMax = 80;
  const nextToCluster = join(dirname(directory), 'socket');
  if (Buffer.byteLength(nextToCluster) <= pathBytesMax) return nextToCluster;
  const digest = hash('sha256', directory).slice(0, 16);
  return join(tmpdir(), `payment-order-service-${digest}`);
}

/** Two users share it by the group of the service, which the socket inherits. Returns the mode of the socket. */
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
      // Another user may have created a folder or a link with this name first.
      if (error.code !== undefined && error.code !== 'ELOOP' && error.code !== 'ENOTDIR')
        throw error;
      throw new StartError(
        `The folder ${path} belongs to another user: remove it and start again.`,
      );
    },
  );
  return isShared ? '0770' : '0700';
}
