import { objectAt, objectsAt, textAt } from "../../../core/read-json.ts";
import { kubefleetKeys } from "../../../model/dialects/kubefleet.ts";
import type { ClusterStatus } from "../../../model/generated/cluster.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../../../model/resource-types.ts";
import { labelKeys } from "../../../model/well-known.ts";
import type { Heartbeat, MemberFacts } from "../../join.ts";
import { childByRef } from "../../member-state.ts";
import { credentialsFacts } from "./working-token.ts";
import { isQualifiedName, readAmounts } from "../../agent-amounts.ts";
import { agentConditionOf, agentStatusOf, internalRef, joinStateOf, worksOf } from "./member-facts.ts";

/** The agent's heartbeat is a time of the agent's own clock in its status; only a change of it counts. */
export function heartbeatIn(object: KubeObject): Heartbeat | undefined {
  return resourceTypeOf(object) === resourceTypes.internalMemberCluster ? heartbeatOfStatus(object) : undefined;
}

/** The same for any object that contains the agent's status. */
export function heartbeatOfStatus(object: KubeObject): Heartbeat | undefined {
  const marker = textAt(agentStatusOf(object), "lastReceivedHeartbeat");
  const workspace = object.metadata.labels?.[labelKeys.ownerWorkspace];
  if (marker === undefined || workspace === undefined) return undefined;
  return { workspace, cluster: object.metadata.name, marker };
}

/** The facts about a member that its agent reports. */
export function memberFacts(member: Member, hub: HubFacts): MemberFacts {
  return factsFrom(childByRef(member, internalRef(member)), member, hub);
}

/** The same from any object that contains the agent's status. */
export function factsFrom(internal: KubeObject | undefined, member: Member, hub: HubFacts): MemberFacts {
  const hasJoined = joinStateOf(internal) === "Joined";
  return {
    hasJoined,
    health: healthOf(member, internal),
    credentials: credentialsFacts(member, hub, hasJoined),
    // In the status of every member: another text is a write for each of them at an upgrade.
    agent: { status: "Unknown", reason: "NotReported", message: "KubeFleet's agent does not say which version it is." },
    status: { ...(internal === undefined ? {} : clusterFacts(internal)), ...issuedFacts(member) },
  };
}

/** The token that the hub brings, by number and end. */
function issuedFacts({ state }: Member): Partial<ClusterStatus> {
  const { number, expiresAt: expires } = state?.credential ?? {};
  return number === undefined || expires === undefined ? {} : { credential: { number, expires, rotates: true } };
}

function healthOf(member: Member, internal: KubeObject | undefined): MemberFacts["health"] {
  const condition = agentConditionOf(internal, "Healthy");
  const status = textAt(condition, "status");
  if (status !== "True" && status !== "False") return undefined;
  const works = describeWorks(worksOf(member));
  if (status === "True")
    return {
      isHealthy: true,
      reason: textAt(condition, "reason") ?? "Healthy",
      message: `The cluster is well.${works}`,
    };
  const agentMessage = (textAt(condition, "message") ?? "").slice(0, 300);
  const message = `The agent reports that its cluster's API server is not ready${agentMessage === "" ? "" : `: ${agentMessage}`}.${works}`;
  return { isHealthy: false, reason: textAt(condition, "reason") ?? "Unhealthy", message };
}

/** What became of the Works, the first that is not applied by name. */
function describeWorks(works: readonly KubeObject[]): string {
  if (works.length === 0) return "";
  const isTrue = (work: KubeObject, type: string): boolean =>
    objectsAt(work, "status", "conditions").some(
      (condition) => condition["type"] === type && condition["status"] === "True",
    );
  const applied = new Set(works.filter((work) => isTrue(work, "Applied")));
  const available = new Set([...applied].filter((work) => isTrue(work, "Available")));
  const late = works.find((work) => !available.has(work));
  const first = late === undefined ? "" : `; not ${applied.has(late) ? "available" : "applied"}: ${late.metadata.name}`;
  return ` ${applied.size} of ${works.length} Works are applied, ${available.size} available${first}.`;
}

/** Fields of Cluster.status from the agent's report; invalid values are dropped. */
function clusterFacts(internal: KubeObject): Partial<ClusterStatus> {
  const usage = objectAt(internal, "status", "resourceUsage");
  const resources = Object.fromEntries(
    (["capacity", "allocatable", "available"] as const).flatMap((key) => {
      const amounts = readAmounts(usage, key);
      return Object.keys(amounts).length === 0 ? [] : [[key, amounts]];
    }),
  );
  const properties = propertiesOf(internal);
  const version = properties[kubefleetKeys.kubernetesVersion];
  return {
    ...(Object.keys(resources).length === 0 ? {} : { resources }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(version !== undefined && /^v?\d{1,9}\.\d{1,9}[-+.\w]{0,60}$/u.test(version)
      ? { kubernetesVersion: version }
      : {}),
  };
}

function propertiesOf(internal: KubeObject): Record<string, string> {
  const kept = Object.entries(objectAt(internal, "status", "properties") ?? {}).flatMap(
    ([name, property]): [string, string][] => {
      const value = textAt(property, "value");
      return isQualifiedName(name) && value !== undefined && value.length <= 1024 ? [[name, value]] : [];
    },
  );
  return Object.fromEntries(kept.slice(0, 100));
}
