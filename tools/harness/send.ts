/** A request to the service, as tools prepare it before they send it. */
export type Request = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export function send(
  baseUrl: string,
  { path, headers, body }: Request,
  signal?: AbortSignal,
): Promise<Response> {
  const init = { method: 'POST', headers, body, ...(signal && { signal }) };
  return fetch(`${baseUrl}${path}`, init);
}
