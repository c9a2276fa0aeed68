/** HTTP that fetch does not allow: missing headers, and bytes that are not a request. */
import { request } from 'node:http';
import { connect } from 'node:net';
import type { Reply } from '../support/test-service.ts';

/** A request with exactly these headers besides Host and Content-Length. */
export function sendPlain(
  url: string,
  options: { method: string; headers?: Record<string, string>; body?: string | Uint8Array },
): Promise<Reply> {
  const { method, headers = {}, body = '' } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: new Headers(response.headers as Record<string, string>),
            body: parse(Buffer.concat(chunks).toString()),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Sends bytes, optionally half-closes, and reads one reply until the service closes the connection. */
export function sendBytes(
  baseUrl: string,
  bytes: string | Uint8Array,
  options: { readonly endAfter?: boolean } = {},
): Promise<Reply> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes);
      if (options.endAfter) socket.end();
    });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(readReply(text)));
  });
}

function readReply(text: string): Reply {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(statusLine.split(' ')[1] ?? 0),
    headers: new Headers(pairs),
    body: parse(body),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
