/** How browsers reach the service: by https or not, and below which path. */
import type { Edge } from './edge.ts';

/** The path of PUBLIC_URL, before the paths of our pages: a proxy may remove it. */
export function basePathOf({ settings }: Pick<Edge, 'settings'>): string {
  return new URL(settings.publicUrl).pathname.replace(/\/$/, '');
}

/** Browsers refuse secure cookies over plain http, which is used on loopback only. */
export function isSecureSite({ settings }: Pick<Edge, 'settings'>): boolean {
  return settings.publicUrl.startsWith('https:');
}
