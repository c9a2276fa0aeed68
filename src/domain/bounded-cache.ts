/**
 * Caches that forget the least recently used entries, and that begin empty. With its option `max`, lru-cache
 * allocates room for every entry at once: 25 ms of CPU for the caches of a service, more than most commands of the
 * command line need for their work.
 */
import { LRUCache } from 'lru-cache';

export function createBoundedCache<Value extends object | string>(
  entriesMax: number,
  /** Entries are forgotten after this time; without it they stay. */
  ttlMs = 0,
) {
  return new LRUCache<string, Value>({ maxSize: entriesMax, sizeCalculation: () => 1, ttl: ttlMs });
}
