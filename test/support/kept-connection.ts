/** HTTP calls over a connection that is kept, with what happened to each: whether it was sent at all matters to a client. */
import { Agent, request } from 'node:http';

export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  /** The connection failed, so nothing was sent. */
  | { readonly kind: 'refused'; readonly code: string | undefined }
  /** The request was sent on an open connection and got no complete answer. */
  | { readonly kind: 'broken'; readonly code: string | undefined; readonly reused: boolean };

export type PostCall = {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export function keepConnection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 });
}

export function post(agent: Agent, { port, path, headers, body }: PostCall): Promise<Outcome> {
  return new Promise((resolve) => {
    let isConnected = false;
    const call = request({
      agent,
      host: '127.0.0.1',
      port,
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', ...headers },
    });
    const fail = (error: NodeJS.ErrnoException) =>
      resolve(
        isConnected
          ? { kind: 'broken', code: error.code, reused: call.reusedSocket }
          : { kind: 'refused', code: error.code },
      );
    call.on('socket', (socket) => {
      isConnected = !socket.connecting;
      if (isConnected) return;
      socket.once('connect', () => {
        isConnected = true;
      });
    });
    call.on('error', fail);
    call.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ kind: 'answered', status: response.statusCode ?? 0, body: text });
      });
    });
    call.end(body);
  });
}
