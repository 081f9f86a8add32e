// join/rollcall/hub: what the hub decides and offers under the own protocol. Pure but for cryptography.
import { textAt } from "../../../core/read-json.ts";
import { clusterOfWorkingName } from "../../../model/dialects/rollcall.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { Beat, BootstrapValues, JoinProtocol } from "../../join.ts";
import { readAgentValues } from "../agent-values.ts";
import { installationObjects } from "../manifests/agent-manifest.ts";
import { pendingBootstrap } from "./bootstrap.ts";
import { collectableRegistrations } from "./collectable.ts";
import { decideRegistration } from "./decide.ts";
import { deliverMinted } from "./deliver.ts";
import { desiredMemberObjects } from "./desired-objects.ts";
import { desiredTokenObjects } from "./desired-token-objects.ts";
import { memberDueAtMs, tokenDueAtMs } from "./due-at.ts";
import { memberFacts } from "./facts.ts";
import { keptMemberObjects, keptTokenObjects } from "./kept-objects.ts";
import { memberLeaveSteps } from "./leave-steps.ts";
import { agentStand, memberManifest, offeredManifest } from "./member-manifest.ts";
import { memberMintsDue, tokenMintsDue } from "./mints-due.ts";
import { memberStatusWrites } from "./status-writes.ts";
import { rejoinOf } from "./rejoin.ts";
import { tokenStatusWrite } from "./token-status.ts";

/** The own protocol's hub half. */
export const rollcallProtocol = {
  name: "rollcall",
  observedTypes: [resourceTypes.clusterReport, resourceTypes.clusterRegistration],
  outsideTypes: [],
  registrations: {
    type: resourceTypes.clusterRegistration,
    isDecided: (registration) => ["Granted", "Refused"].includes(textAt(registration, "status", "decision") ?? ""),
    tokenNameOf: (registration) => textAt(registration, "spec", "tokenName"),
    decide: decideRegistration,
    collectable: collectableRegistrations,
  },
  ownedTypes: [
    resourceTypes.serviceAccount,
    resourceTypes.secret,
    resourceTypes.role,
    resourceTypes.roleBinding,
    resourceTypes.clusterReport,
    resourceTypes.lease,
    resourceTypes.configMap,
  ],
  soleNames: () => [],
  desiredObjects: desiredMemberObjects,
  desiredTokenObjects,
  tokenStatuses: (subject, members, hub) => [tokenStatusWrite(subject, members, hub)],
  keptObjects: (subject, hub) =>
    subject.kind === "member" ? keptMemberObjects(subject.member, hub) : keptTokenObjects(subject.subject, hub),
  dueAtMs: (subject, hub) =>
    subject.kind === "member" ? memberDueAtMs(subject.member, hub) : tokenDueAtMs(subject.subject, hub),
  mintsDue: (subject, hub) =>
    subject.kind === "member" ? memberMintsDue(subject.member, hub) : tokenMintsDue(subject.subject, hub),
  deliver: async (subject, minted, hub, entropy) => deliverMinted(subject, minted, hub, entropy),
  leaveSteps: memberLeaveSteps,
  agentManifest: (member, hub, bootstrap?: BootstrapValues) => {
    const values = bootstrap === undefined ? undefined : readAgentValues(bootstrap);
    const isUsable = values !== undefined && !("lack" in values);
    // A repair brings back what was there, and hurries no version.
    const isRepair = member.memory?.rejoin === "AgentLost";
    const manifest = isRepair ? offeredManifest(member, hub) : memberManifest(member, hub);
    return installationObjects(manifest, isUsable ? values : undefined);
  },
  pendingBootstrap: (member, hub) => {
    const pending = pendingBootstrap(member, hub);
    return pending === undefined ? undefined : { number: pending.number, values: { ...pending.values } };
  },
  rejoinOf,
  beatType: resourceTypes.lease,
  beatOf,
  // A Lease that somebody deleted is to be made again.
  isOnlyBeat: (_before, object) => object !== undefined,
  agentStand,
  factsOf: memberFacts,
  statusWrites: memberStatusWrites,
} satisfies JoinProtocol;

/** A cluster's Lease, by its name: the labels of a Lease are its agent's to change. */
function beatOf(object: KubeObject): Beat | undefined {
  const { name, namespace } = object.metadata;
  const marker = textAt(object, "spec", "renewTime");
  const cluster = clusterOfWorkingName(name);
  if (object.kind !== "Lease" || cluster === undefined || namespace === undefined || marker === undefined)
    return undefined;
  const heldMs = Date.parse(marker) - Date.parse(textAt(object, "spec", "acquireTime") ?? "");
  return { workspace: namespace, cluster, marker, ...(heldMs >= 0 ? { heldMs } : {}) };
}
