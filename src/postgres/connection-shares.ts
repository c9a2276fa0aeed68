/** How the connections of a process are shared between requests and maintenance. Contract 15.2. */
import { databaseLimits } from './limits.ts';
import type { PoolPurpose } from './session-settings.ts';

/** Maintenance has at least two: the lease of the sweep is extended on one while the sweep uses another. */
export function shareConnections(connectionsMax: number): Readonly<Record<PoolPurpose, number>> {
  const share = Math.max(2, Math.ceil(connectionsMax / 6));
  const maintenance = Math.min(databaseLimits.maintenanceConnectionsMax, share);
  return { maintenance, requests: connectionsMax - maintenance };
}
