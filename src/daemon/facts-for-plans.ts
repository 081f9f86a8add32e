import { version } from "../core/version.ts";
import type { HubFacts } from "../model/member.ts";
import { toTime } from "../planning/conditions.ts";

/**
 * What the names of objects, credentials and steps are decided by. The endpoint, the image of agents and the key are
 * settings of the daemon, which a plan does not have. Well-formed ones replace them: contents that hold them are
 * not planned, and nothing is signed.
 */
export function factsForPlans(daemonNamespace: string, nowMs: number): HubFacts {
  const trust = { publicKey: "", epoch: 1, validFrom: toTime(nowMs), sign: () => new Uint8Array() };
  const endpoint = { url: "https://hub.invalid", caBundle: "" };
  return { hubId: `sha256:${"0".repeat(64)}`, endpoint, daemonNamespace, trust, version, agentImage: "", nowMs };
}
