/** The contract tests that every provider must pass, run with the fixture of each provider. */
import type { Provider } from '../../../src/providers/provider.ts';
import { testErasing } from './erasing.ts';
import type { ProviderFixture } from './fixture.ts';
import { testHeaders, testProof } from './proof.ts';
import { testSettings } from './settings.ts';
import { testArbitraryBodies, testTranslation } from './translation.ts';

export type { ProviderFixture };

export function testProviderContract(provider: Provider, fixture: ProviderFixture): void {
  testProof(provider, fixture);
  testHeaders(provider, fixture);
  testTranslation(provider, fixture);
  testArbitraryBodies(provider, fixture);
  testErasing(provider, fixture);
  testSettings(provider);
}
