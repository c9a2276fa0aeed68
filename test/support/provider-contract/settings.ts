/** A provider's settings can be used on the command line and stored in the database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Provider } from '../../../src/providers/provider.ts';
import { listOptions, listSecretKinds } from '../../../src/providers/settings.ts';

export function testSettings({ name, settings }: Provider): void {
  const is = (guarantee: string) => `${name}: ${guarantee}`;

  test(is('its name, options and secret kinds are in kebab case'), () => {
    for (const word of [name, ...listOptions(settings), ...listSecretKinds(settings)]) {
      assert.match(word, /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    }
  });

  test(is('its options and secret kinds start with its name, so that they are unique'), () => {
    for (const word of [...listOptions(settings), ...listSecretKinds(settings)]) {
      assert.ok(word.startsWith(`${name}-`), word);
    }
  });

  test(is('its webhook secret and its API secret are different kinds'), () => {
    assert.equal(new Set(listSecretKinds(settings)).size, 2);
  });

  test(is('its plain settings have unique names, and one of them is its merchant'), () => {
    const names = settings.plain.map((setting) => setting.name);
    assert.equal(new Set(names).size, names.length);
    const { merchantSetting } = settings;
    assert.ok(merchantSetting === undefined || names.includes(merchantSetting));
  });

  test(is('the default of a plain setting is valid'), () => {
    for (const { defaultValue, findFault } of settings.plain) {
      if (defaultValue !== undefined) assert.equal(findFault?.(defaultValue), undefined);
    }
  });

  test(is('the default URL of its API uses https'), () => {
    const { defaultValue = 'https://none.example' } = settings.apiUrl;
    assert.equal(new URL(defaultValue).protocol, 'https:');
  });
}
