import { connectHub } from "../../daemon/connect-hub.ts";
import { makeTrustKey } from "../../daemon/wire-hub.ts";
import { replaceTrustKey } from "../../recovery/replace-trust-key.ts";
import { realClock } from "../../system/real-clock.ts";
import type { PlainContext } from "./command-context.ts";
import { confirm } from "./confirm.ts";

/**
 * `rollcall trust replace`: gives the hub a new trust key, which the present one signs. Asks at a terminal.
 * Prints what is left to do.
 * @throws E_KUBE_NOT_FOUND while no daemon has run on the hub; E_KUBE_CONFLICT when another call replaced it meanwhile;
 * E_STORE_VERSION when a newer version made what is on the hub
 */
export async function runTrustReplace(context: PlainContext): Promise<number> {
  const { settings, environment, stdout, signal } = context;
  const namespace = settings.requiredText("namespace");
  const isOldRevoked = settings.isOn("revoke-old");
  const { hubApi } = await connectHub(settings, environment);
  try {
    await confirm(
      context,
      `Replace the trust key of ${hubApi.server}? Earlier backups do not restore the hub any more.`,
    );
    const { digest, number } = await replaceTrustKey({
      hubApi,
      namespace,
      nowMs: realClock.nowMs(),
      makeKey: makeTrustKey,
      isOldRevoked,
      signal,
    });
    const lines = [
      `The hub's trust key is now ${digest}, number ${number}.`,
      `1. Start the daemon again: it uses the key from then on. With the chart: kubectl --namespace ${namespace} rollout restart deployment rollcall`,
      "2. Write a new backup with `rollcall backup`: an earlier one does not restore this hub any more.",
      ...(isOldRevoked
        ? ["3. Give new values to agents that have not reached the hub at its known address since."]
        : []),
    ];
    stdout.write(`${lines.join("\n")}\n`);
    return 0;
  } finally {
    await hubApi.close();
  }
}
