import type { JoinProtocol } from "../join/join.ts";
import type { ResourceType } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";

/** Kinds that every workspace is watched for. */
export function watchedTypes(protocols: readonly Pick<JoinProtocol, "observedTypes">[]): ResourceType[] {
  const own = [
    resourceTypes.cluster,
    resourceTypes.clusterRegistrationToken,
    resourceTypes.clusterGroup,
    resourceTypes.configMap,
    resourceTypes.secret,
    resourceTypes.lease,
    resourceTypes.serviceAccount,
    resourceTypes.role,
    resourceTypes.roleBinding,
  ];
  return [...new Set([...own, ...protocols.flatMap(({ observedTypes }) => observedTypes)])];
}
