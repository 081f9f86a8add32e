import { AppError } from "../../../core/errors.ts";
import type { Signed } from "../../../model/generated/signed.ts";
import { openHubInfo } from "../signed-hub-info.ts";
import { keyDigest } from "../messages.ts";
import { openReadmission } from "../readmission.ts";
import type { AgentIdentity } from "./agent-identity.ts";

/**
 * The identity with the recovery credential of a readmission. E_HUB_INFO when the hub did not sign it for this agent, or in
 * an epoch before the one that the agent has seen.
 */
export function withReadmission(identity: AgentIdentity, signed: Signed): AgentIdentity {
  const { hubInfo, hubId, keys, membership } = identity;
  if (hubInfo === undefined || membership === undefined)
    throw new AppError("E_HUB_INFO", "read the readmission: this agent was never a member");
  const agent = { hubId, digest: keyDigest(keys.signing.public), sealingPrivateKey: keys.sealing.private };
  const readmission = openReadmission(signed, agent, openHubInfo(hubInfo, identity).trustKey);
  if (readmission.epoch < identity.epoch)
    throw new AppError("E_HUB_INFO", "read the readmission: it is of an older copy of the hub");
  const { workspace, clusterName, recoveryToken } = readmission;
  return { ...identity, workspace, membership: { ...membership, clusterName, recoveryToken } };
}
