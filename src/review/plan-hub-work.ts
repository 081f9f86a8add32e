import type { JoinProtocol, LeaveStep } from "../join/join.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { ClusterRegistrationToken } from "../model/generated/cluster-registration-token.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";
import type { ObjectRef } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { HubFacts, Member, TokenSubject } from "../model/member.ts";
import type { HubWork, PlannedChange } from "../model/plan.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys } from "../model/well-known.ts";
import { planChildren, planChildrenOf } from "../planning/plan-member.ts";

/** What the hub's controllers would decide by. */
export interface HubWorkInputs {
  readonly protocols: ReadonlyMap<ProtocolName, JoinProtocol>;
  readonly hub: HubFacts;
  readonly memberOf: (workspace: string, name: string) => Member | undefined;
  readonly tokenOf: (workspace: string, name: string) => TokenSubject | undefined;
}

/**
 * What the hub's controllers do after these changes, by the name of the changed object: accounts and rights of clusters and
 * tokens that are created, credentials that are issued, offboarding steps of clusters that leave. It comes from the functions
 * that the controllers call. What a controller does later, when an agent registers, depends on the agent and is left out;
 * so are changes of children of objects that are updated.
 */
export function planHubWork(changes: readonly PlannedChange[], inputs: HubWorkInputs): ReadonlyMap<string, HubWork> {
  return new Map(
    changes.flatMap((change) => {
      const work = workOf(change, inputs);
      return work === undefined ? [] : [[describeRef(change.ref), work] as const];
    }),
  );
}

function workOf(change: PlannedChange, inputs: HubWorkInputs): HubWork | undefined {
  switch (change.kind) {
    case "create":
      return change.former === undefined ? workOfCreate(change, inputs) : undefined;
    case "leave":
      return workOfLeave(change, inputs);
    case "delete":
      return workOfDelete(change.ref, inputs);
    case "update":
      return undefined;
  }
}

function workOfCreate(
  { ref, object }: Extract<PlannedChange, { kind: "create" | "update" }>,
  { protocols, hub }: HubWorkInputs,
): HubWork | undefined {
  const place = { workspace: ref.namespace ?? "", name: ref.name };
  if (ref.type === resourceTypes.clusterRegistrationToken) {
    const token = object as ClusterRegistrationToken;
    const protocol = protocols.get(token.spec?.protocol ?? "rollcall");
    return protocol && workToJoin(protocol, { kind: "token", subject: { ...place, token, children: [] } }, hub);
  }
  if (ref.type !== resourceTypes.cluster) return undefined;
  const cluster = object as Cluster;
  const protocol = protocols.get(cluster.spec?.protocol ?? "rollcall");
  const member: Member = { ...place, cluster, memory: {}, children: [] };
  return protocol && workToJoin(protocol, { kind: "member", member }, hub);
}

function workToJoin(
  protocol: JoinProtocol,
  subject: Parameters<JoinProtocol["mintsDue"]>[0],
  hub: HubFacts,
): HubWork | undefined {
  const creates = planChildrenOf(protocol, subject, hub).changes.map(({ ref }) => ref);
  const credentials = protocol.mintsDue(subject, hub).map(({ purpose, reason }) => ({ purpose, reason }));
  if (creates.length === 0 && credentials.length === 0) return undefined;
  return { creates, deletes: [], credentials, steps: [] };
}

function workOfLeave(
  { ref, commit }: Extract<PlannedChange, { kind: "leave" }>,
  { protocols, hub, memberOf }: HubWorkInputs,
): HubWork | undefined {
  const member = memberOf(ref.namespace ?? "", ref.name);
  const protocol = member && protocols.get(member.cluster.spec?.protocol ?? "rollcall");
  if (!protocol) return undefined;
  const { metadata } = member.cluster;
  const annotations = { ...metadata.annotations, [annotationKeys.leave]: commit };
  const leaving = { ...member, cluster: { ...member.cluster, metadata: { ...metadata, annotations } } };
  const steps = protocol.leaveSteps(leaving, hub);
  if (steps.length === 0) return undefined;
  const deletes = steps.flatMap((step) => (step.kind === "delete" ? [...step.refs] : []));
  return { creates: [], deletes, credentials: [], steps: steps.map(describeStep) };
}

function workOfDelete(ref: ObjectRef, { protocols, tokenOf }: HubWorkInputs): HubWork | undefined {
  const subject =
    ref.type === resourceTypes.clusterRegistrationToken ? tokenOf(ref.namespace ?? "", ref.name) : undefined;
  const protocol = subject && protocols.get(subject.token.spec?.protocol ?? "rollcall");
  if (!protocol) return undefined;
  // With the token gone, nothing of it is wanted.
  const { changes } = planChildren({ desired: [], children: subject.children, ownedTypes: protocol.ownedTypes });
  return changes.length === 0
    ? undefined
    : { creates: [], deletes: changes.map((change) => change.ref), credentials: [], steps: [] };
}

function describeStep(step: LeaveStep): string {
  switch (step.kind) {
    case "delete":
      return step.purpose === "revoke" ? "revoke credentials" : `delete objects (${step.purpose})`;
    case "uninstall":
      return "uninstall the agent by the kubeconfig";
    case "ask-agent":
      return "ask the agent to uninstall itself";
    case "tell-agent":
      return "tell the agent that its cluster leaves";
    case "release":
      return "remove finalizers";
    case "wait":
      return "wait";
  }
}
