/** For the coordinator of a Citus cluster: sends a statement as `onCluster` writes it, where it has that. */
import type { Send, Statement } from './statement.ts';
import type { Transport } from './transport.ts';

export function clusterTransport(inner: Transport): Transport {
  const choosing =
    (send: Send): Send =>
    (statement) =>
      send(choose(statement));
  return {
    ...inner,
    sendAlone: (client, statement) => inner.sendAlone(client, choose(statement)),
    openSeparate: (client) => choosing(inner.openSeparate(client)),
    openPipeline: (client, findObstacle) => choosing(inner.openPipeline(client, findObstacle)),
  };
}

function choose({ onCluster, ...statement }: Statement): Statement {
  const chosen = onCluster?.();
  if (chosen === undefined) return statement;
  const { name: _, ...unnamed } = statement;
  return { ...unnamed, ...chosen };
}
