/** `npm run client:types`: writes client/api.d.cts from the OpenAPI document. A test finds out when it is forgotten. */
import { writeFile } from 'node:fs/promises';
import { describeApi } from '../../src/process/app.ts';
import { projectDir } from '../harness/project.ts';
import { type Schemas, typesOfApi } from './types-of-api.ts';

const { components } = await describeApi('https://payments.example');
await writeFile(`${projectDir}client/api.d.cts`, typesOfApi(components.schemas as Schemas));
