import { publicNamespace, readmitName } from "../../../model/dialects/rollcall.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import type { Entropy } from "../../join.ts";
import { keyDigest } from "../messages.ts";
import { isLeaving, isRevoked, recoveryTokenOf } from "./member-facts.ts";
import { sealReadmission } from "./seal-readmission.ts";

/**
 * The ConfigMap by which a restored member's agent comes back: a new recovery credential, sealed to its key. Undefined for a
 * member that may not, whose recovery account has no token yet, or whose agent works with a credential again. Each call
 * seals anew: write it once in an epoch.
 */
export function readmitObject(member: Member, hub: HubFacts, entropy: Entropy): KubeObject | undefined {
  const keys = member.state?.keys;
  const recoveryToken = recoveryTokenOf(member);
  if (keys === undefined || recoveryToken === undefined || member.state?.credential !== undefined) return undefined;
  if (isLeaving(member) || isRevoked(member)) return undefined;
  const digest = keyDigest(keys.signing);
  const signed = sealReadmission(
    { workspace: member.workspace, clusterName: member.name, recoveryToken },
    { hubId: hub.hubId, digest, epoch: hub.trust.epoch },
    {
      sealingKey: keys.sealing,
      ephemeralKey: entropy.bytes(32),
      sign: (payload) => hub.trust.sign(payload),
    },
  );
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: readmitName(digest), namespace: publicNamespace },
    data: { signed: JSON.stringify(signed), epoch: String(hub.trust.epoch) },
  };
}
