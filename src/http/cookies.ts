/** The cookies of a request. Each scope has its own. */

/** `__Host-` keeps other hosts of the site from setting the cookie. Browsers accept it over https only. */
export const securePrefix = '__Host-';

export function readCookie(header: string | undefined, wanted: string): string | undefined {
  return listCookies(header).find((cookie) => cookie.name === wanted)?.value;
}

/** Neither names nor values of our cookies need quotes or escapes. */
export function listCookies(header = ''): { readonly name: string; readonly value: string }[] {
  return header.split(';').flatMap((pair) => {
    const end = pair.indexOf('=');
    return end < 0 ? [] : [{ name: pair.slice(0, end).trim(), value: pair.slice(end + 1).trim() }];
  });
}
