/** A consumer's browser without scripts: keeps cookies, and reads and posts the forms of the checkout. */

export type PlainBrowser = ReturnType<typeof newBrowser>;

export type Seen = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly location: string | null;
};

export function newBrowser({ baseUrl }: { readonly baseUrl: string }, token = '') {
  const cookies = new Map<string, string>();
  const request = async (path: string, init: RequestInit): Promise<Seen> => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { accept: 'text/html', ...(cookie !== '' && { cookie }), ...init.headers };
    const reply = await fetch(`${baseUrl}${path}`, { ...init, headers, redirect: 'manual' });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = reply.headers.get('location');
    return { status: reply.status, headers: reply.headers, text: await reply.text(), location };
  };
  const post = (path: string, fields: Record<string, string>) =>
    request(path, { method: 'POST', body: new URLSearchParams(fields) });
  return {
    token,
    cookies,
    get: (path: string, headers: Record<string, string> = {}) => request(path, { headers }),
    post,
    /** Posts the form of the page with these fields changed. */
    submit: (
      page: Seen,
      changes: Record<string, string> = {},
      action = readForm(page.text)?.action,
    ) => {
      if (action === undefined) throw new Error('the page has no form');
      return post(action, { ...hiddenFieldsOf(page), ...changes });
    },
  };
}

/** The first form of a page: where it leads, and its hidden fields. */
export function readForm(page: string) {
  const [form, action] = /<form[^>]* action="([^"]*)"[\s\S]*?<\/form>/.exec(page) ?? [];
  if (form === undefined || action === undefined) return undefined;
  const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  const fields: Record<string, string> = Object.fromEntries(
    [...inputs].map(([, name = '', value = '']) => [unescapeHtml(name), unescapeHtml(value)]),
  );
  return { action: unescapeHtml(action), fields };
}

export function hiddenFieldsOf({ text }: Seen): Record<string, string> {
  return readForm(text)?.fields ?? {};
}

export function unescapeHtml(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)));
}

export function headingOf({ text }: Seen): string {
  return /<h1[^>]*>([^<]*)<\/h1>/.exec(text)?.[1] ?? '';
}
