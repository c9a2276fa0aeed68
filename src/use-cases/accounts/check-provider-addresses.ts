/**
 * Refuses a provider's address that would never be called, as far as that shows without resolving its name. Every
 * connection is checked again. Contract 11.6, docs/decisions/0051.
 */
import type { AccountSettings } from '../../domain/accounts/account.ts';
import { refuseField } from '../../domain/errors.ts';
import { listDefaultUrls } from '../../providers/account-settings.ts';
import { checkEndpointHost } from '../../security/endpoint-address.ts';
import type { ServiceSettings } from '../../services/services.ts';

type Apis = Pick<AccountSettings, 'providerApis'>;

/** An owner may set the addresses that endpoints may have. An operator may also set an address of this machine. */
export function checkProviderAddresses(
  { simulatorUrl, endpointNetworks }: Pick<ServiceSettings, 'endpointNetworks' | 'simulatorUrl'>,
  by: 'owner' | 'operator',
  before: Apis,
  after: Apis,
): void {
  const networks = by === 'owner' ? endpointNetworks : { ...endpointNetworks, loopback: true };
  for (const [name, { url }] of Object.entries(after.providerApis)) {
    const isOurs = url === simulatorUrl || listDefaultUrls().includes(url);
    if (isOurs || url === before.providerApis[name]?.url) continue;
    const parsed = URL.parse(url);
    const fault = parsed && checkEndpointHost(parsed, networks);
    if (fault) refuseField(`${name} URL`, fault);
  }
}
