import { isReservedFleetLabel, fleetKeys } from "../../../model/dialects/fleet.ts";
import { isReservedLabelKey } from "../../../model/well-known.ts";
import { allowedForeignLabels } from "../../foreign-labels.ts";

/** What a Fleet agent proposes for a new cluster: all that is not reserved, or only those that the token allows. */
export function allowedLabels(
  proposed: Readonly<Record<string, string>>,
  allowedKeys: readonly string[] | undefined,
): ReturnType<typeof allowedForeignLabels> {
  const isReserved = (key: string): boolean =>
    key !== fleetKeys.createdByAgentPod && (isReservedLabelKey(key) || isReservedFleetLabel(key));
  return allowedForeignLabels(proposed, { allowedKeys, isReserved });
}
