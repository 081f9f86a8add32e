import type { FaultyProxy } from "./faulty-proxy.ts";
import type { Finished, RollcallProcess } from "./rollcall-process.ts";
import { startRollcall } from "./rollcall-process.ts";

/** Whether a request of a run is the one at which it is killed. */
export type IsLast = (method: string, path: string) => boolean;

/**
 * Runs a command again and again: the first run is killed at its first request that counts, and each later one at the request
 * after that. Resolves with the run that reached its end, and how many did not.
 */
export async function runBetweenKills(
  start: (isLast: IsLast) => RollcallProcess,
  isCounted: IsLast,
): Promise<{ readonly kills: number; readonly finished: Finished }> {
  for (let kills = 0; ; kills++) {
    let count = 0;
    const run: RollcallProcess = start((method, path) => {
      if (!isCounted(method, path) || count++ < kills) return false;
      run.kill("SIGKILL");
      return true;
    });
    const finished = await run.finished;
    if (finished.signal === null) return { kills, finished };
  }
}

/** Starts a command at a hub behind a proxy, which swallows the last request: the command never sees an answer. */
export function startBehind(
  { proxy, kubeconfigPath }: { readonly proxy: FaultyProxy; readonly kubeconfigPath: string },
  args: readonly string[],
  isLast: IsLast,
): RollcallProcess {
  const run = startRollcall([...args, "--kubeconfig", kubeconfigPath]);
  proxy.setFault((method, path) => (isLast(method, path) ? { status: 500, until: run.finished.then() } : undefined));
  return run;
}

export const isWrite: IsLast = (method, path) => method !== "GET" && !path.includes("/leases/");
export const never: IsLast = () => false;
