/** Generates clients from an OpenAPI document with the two generators that TypeScript projects use most. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openApiTypes, { astToString } from 'openapi-typescript';

/** Writes `types.ts` of openapi-typescript and `client/` of Hey API into the folder. */
export async function generateClients(document: object, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const input = JSON.stringify(document);
  await writeFile(join(folder, 'types.ts'), astToString(await openApiTypes(input)));
  await writeFile(join(folder, 'openapi.json'), input);
  await createClient({
    input: join(folder, 'openapi.json'),
    output: { path: join(folder, 'client'), clean: true },
    logs: { level: 'silent' },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  });
}
