/** Where the database is. */

/** A URL, or the socket folder of the embedded database. */
export type DatabaseAddress =
  | { readonly connectionString: string }
  | Readonly<{ host: string; port: number; user: string; password?: string; database: string }>;
