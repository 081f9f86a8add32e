import { until } from "./until.ts";

/** Promise 6: a credential dies within this time. API servers remember for ten seconds that a token was good. */
const deathMs = 15_000;

/**
 * Asks with credentials that have ended, again and again, until all are refused: so the API server's memory of them is as fresh
 * as can be. Fails when a request is accepted that was sent later than 15 s after the end. How long an answer takes, and how late
 * this process gets to ask, counts for nothing.
 */
export async function untilRefused(...asks: readonly (() => Promise<string>)[]): Promise<void> {
  const endedMs = performance.now();
  const isRefused = (answer: string): boolean => ["E_KUBE_UNAUTHORIZED", "E_KUBE_FORBIDDEN"].includes(answer);
  await Promise.all(
    asks.map((ask) =>
      until(async () => {
        const afterMs = performance.now() - endedMs;
        const answer = await ask();
        if (answer === "accepted" && afterMs > deathMs) throw new Error(`accepted ${afterMs} ms after the end`);
        return answer;
      }, isRefused),
    ),
  );
}
