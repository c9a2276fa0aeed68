/** One line of the report: what was measured, at how many connections. */
import type { Measured } from './load.ts';

export type Row = { readonly what: string; readonly connections: number } & Measured;
