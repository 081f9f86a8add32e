import { textAt, isTrueAt } from "../../../core/read-json.ts";
import { cleanRemoteText } from "../../../core/remote-text.ts";
import { memberStateName } from "../../../model/member-state.ts";
import { agentNames, manifestName, workingName } from "../../../model/dialects/rollcall.ts";
import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import { refOf } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../../../model/resource-types.ts";
import { annotationKeys } from "../../../model/well-known.ts";
import { toTime } from "../../../planning/conditions.ts";
import type { OffboardingStep } from "../../join.ts";
import { hasInstallation, refsWhereInstalled } from "../../member-state.ts";
import {
  agentNamespaceOf,
  childOf,
  credentialKinds,
  isGranted,
  isHubInitiated,
  registrationOf,
  reportOf,
} from "./member-facts.ts";
import { memberManifest } from "./member-manifest.ts";
import { effectiveDeletionPolicy, reportRef, reportStatus } from "./status-writes.ts";

/**
 * The remaining offboarding steps of a member: remove the agent (by kubeconfig, or by the agent itself), revoke its
 * credentials, delete its state. Each step exists while it has work to do, so an interrupted offboarding resumes.
 */
export function memberOffboardingSteps(member: Member, hub: HubFacts): OffboardingStep[] {
  return [...removalSteps(member, hub), ...revocationSteps(member), ...forgettingSteps(member)];
}

/** An agent's report on what it could not remove comes into a status and a commit. */
const shown = { secrets: [], maximumLength: 997 };

function removalSteps(member: Member, hub: HubFacts): OffboardingStep[] {
  const commit = member.cluster.metadata.annotations?.[annotationKeys.leave];
  const { state } = member;
  if (commit === undefined || effectiveDeletionPolicy(member) !== "Uninstall") return [];
  if (state?.leave?.commit === commit && state.leave.isUninstalled) return [];
  // Cancelled before its agent moved: the agent belongs to the predecessor and stays there.
  if (state?.movedFrom !== undefined) return [];
  const wasInstalled = isGranted(member) || hasInstallation(member);
  if (!wasInstalled) return [];
  if (isHubInitiated(member))
    return [{ kind: "uninstall", refs: refsWhereInstalled(member, (placed) => installedRefs(placed, hub)) }];
  if (reportOf(member) === undefined) return [];
  const asked = { ...member, state: { ...state, leave: state?.leave ?? { commit, since: toTime(hub.nowMs) } } };
  const acknowledgement = reportOf(member);
  const isDone =
    textAt(acknowledgement, "spec", "leave", "commit") === commit && isTrueAt(acknowledgement, "spec", "leave", "done");
  const message = textAt(acknowledgement, "spec", "leave", "message");
  const left =
    isDone && message !== undefined ? cleanRemoteText(message.replace(/^Left downstream: /u, ""), shown) : "";
  const write = { ref: reportRef(member), status: reportStatus(asked, hub) };
  return [{ kind: "ask-agent", write, isDone, ...(left === "" ? {} : { left }) }];
}

/** The agent's objects downstream in the order of their removal: it stops first, its namespace is deleted last. */
function installedRefs(member: Member, hub: HubFacts): ObjectRef[] {
  const values = { type: resourceTypes.secret, namespace: agentNamespaceOf(member), name: agentNames.values };
  const refs = memberManifest(member, hub).objects.flatMap((object) => {
    const type = resourceTypeOf(object);
    return type === undefined ? [] : [refOf(type, object)];
  });
  const [namespace, ...rest] = refs;
  return [...rest.reverse(), values, ...(namespace === undefined ? [] : [namespace])];
}

function revocationSteps(member: Member): OffboardingStep[] {
  const refs = member.children
    .filter((child) => credentialKinds.includes(child.kind) && isOurName(member, child))
    .sort((a, b) => credentialKinds.indexOf(a.kind) - credentialKinds.indexOf(b.kind))
    .flatMap(refOfChild);
  return refs.length === 0 ? [] : [{ kind: "delete", purpose: "revoke", refs }];
}

function forgettingSteps(member: Member): OffboardingStep[] {
  const { name } = member;
  const spoken = [
    reportOf(member),
    childOf(member, resourceTypes.lease, workingName(name)),
    childOf(member, resourceTypes.configMap, manifestName(name)),
    registrationOf(member),
    // The state is deleted last: without it the hub does not know what else to remove.
    childOf(member, resourceTypes.configMap, memberStateName(name)),
  ];
  const refs = spoken.flatMap((child) => (child === undefined ? [] : refOfChild(child)));
  return refs.length === 0 ? [] : [{ kind: "delete", purpose: "forget", refs }];
}

function isOurName(member: Member, child: KubeObject): boolean {
  const own = workingName(member.name);
  return child.metadata.name === own || child.metadata.name.startsWith(`${own}.`);
}

function refOfChild(child: KubeObject): ObjectRef[] {
  const type = resourceTypeOf(child);
  return type === undefined ? [] : [refOf(type, child)];
}
