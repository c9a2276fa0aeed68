/** A provider's settings can be used on the command line and stored in the database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Provider } from '../../../src/providers/provider.ts';
import { listOptions, listSecretKinds } from '../../../src/providers/settings.ts';

export function testSettings({ name, settings }: Provider): void {
  const is = (guarantee: string) => `${name}: ${guarantee}`;

  test(is('its name, options and kinds of secrets are words with dashes between them'), () => {
    for (const word of [name, ...listOptions(settings), ...listSecretKinds(settings)]) {
      assert.match(word, /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    }
  });

  test(
    is('its options and kinds of secrets begin with its name, so that nothing else has them'),
    () => {
      for (const word of [...listOptions(settings), ...listSecretKinds(settings)]) {
        assert.ok(word.startsWith(`${name}-`), word);
      }
    },
  );

  test(is('the secret that proves deliveries is not the one for its API'), () => {
    assert.equal(new Set(listSecretKinds(settings)).size, 2);
  });

  test(is('its plain settings have names of their own, and one of them holds its merchant'), () => {
    const names = settings.plain.map((setting) => setting.name);
    assert.equal(new Set(names).size, names.length);
    const { merchantSetting } = settings;
    assert.ok(merchantSetting === undefined || names.includes(merchantSetting));
  });

  test(is('the default of a plain setting has no fault'), () => {
    for (const { defaultValue, findFault } of settings.plain) {
      if (defaultValue !== undefined) assert.equal(findFault?.(defaultValue), undefined);
    }
  });

  test(is('the default address of its API is an https URL'), () => {
    const { defaultValue = 'https://none.example' } = settings.apiUrl;
    assert.equal(new URL(defaultValue).protocol, 'https:');
  });
}
