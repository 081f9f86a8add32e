import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { BootstrapValues, Lifecycle } from "../../join.ts";
import { noOptionalObjects, noPreviousHubHolds, nothingMissing, nothingPlaced, nothingStays } from "../../neutral.ts";
import { readAgentValues } from "../agent-values.ts";
import { installationObjects } from "../manifests/agent-manifest.ts";
import { desiredMemberObjects } from "./desired-objects.ts";
import { memberOffboardingSteps } from "./offboarding-steps.ts";
import { agentProgress, memberManifest, offeredManifest } from "./member-manifest.ts";

export const lifecycle = {
  declaredTypes: [],
  observedTypes: [resourceTypes.clusterReport, resourceTypes.clusterRegistration],
  outsideTypes: [],
  exclusiveNames: () => [],
  desiredObjects: desiredMemberObjects,
  previousHubHolds: noPreviousHubHolds,
  agentManifest,
  optionalObjects: noOptionalObjects,
  whyNotInstalled: nothingMissing,
  agentProgress,
  offboardingSteps: memberOffboardingSteps,
  placedObjects: nothingPlaced,
  whatStaysDownstream: nothingStays,
} satisfies Lifecycle;

function agentManifest(member: Member, hub: HubFacts, bootstrap?: BootstrapValues): KubeObject[] {
  const values = bootstrap === undefined ? undefined : readAgentValues(bootstrap);
  const isUsable = values !== undefined && !("lack" in values);
  // A repair brings back what was there, and hurries no version.
  const isRepair = member.state?.rejoin === "AgentLost";
  const manifest = isRepair ? offeredManifest(member, hub) : memberManifest(member, hub);
  return installationObjects(manifest, isUsable ? values : undefined);
}
