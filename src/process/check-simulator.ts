/**
 * Whether what listens at the address of the simulator is the simulator, asked before an account trusts it as both
 * payment providers. Contract 11.6.
 */

/** False if nothing answers there: the simulator may be started later. */
export async function isAnotherProgram(simulatorUrl: string): Promise<boolean> {
  const signal = AbortSignal.timeout(answerMsMax);
  try {
    const reply = await fetch(`${simulatorUrl}/simulator`, { redirect: 'manual', signal });
    const answer: unknown = await reply.json().catch(() => undefined);
    return (answer as { name?: unknown } | undefined)?.name !== simulatorName;
  } catch {
    return false;
  }
}

/** What the simulator answers; see simulator/control-api.ts. */
const simulatorName = 'payment-order-simulator';

const answerMsMax = 3_000;
