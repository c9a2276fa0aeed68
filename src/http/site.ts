/** How browsers reach the service: by https or not, and below which path. */
import type { HttpContext } from './http-context.ts';

/** The path of PUBLIC_URL, before the paths of our pages: a proxy may remove it. */
export function basePathOf({ settings }: Pick<HttpContext, 'settings'>): string {
  return new URL(settings.publicUrl).pathname.replace(/\/$/, '');
}

/** Browsers refuse secure cookies over plain http, which is used on loopback only. */
export function isSecureSite({ settings }: Pick<HttpContext, 'settings'>): boolean {
  return settings.publicUrl.startsWith('https:');
}
