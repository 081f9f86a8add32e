import { createChildFights } from "../../../../src/hub/child-fights.ts";
import { onTestFinished } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import { AppError } from "../../../../src/core/errors.ts";
import { HealthTimer } from "../../../../src/hub/health.ts";
import type { HubEvent } from "../../../../src/hub/events.ts";
import { HubView } from "../../../../src/hub/hub-view.ts";
import { createValueSharing } from "../../../../src/hub/share-values.ts";
import { watchedTypes } from "../../../../src/hub/watched-types.ts";
import type { MemberPorts, MemberScope } from "../../../../src/hub/members/member-scope.ts";
import { openMemberScope } from "../../../../src/hub/members/member-scope.ts";
import { outsideTypesOf } from "../../../../src/hub/outside-types.ts";
import { createSimulatedHub } from "../../../../src/hub/rehearsal/simulated-hub.ts";
import type { JoinProtocol } from "../../../../src/join/join.ts";
import { kubefleetProtocol } from "../../../../src/join/kubefleet/hub/kubefleet-protocol.ts";
import { rollcallProtocol } from "../../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { ClusterName, MemberState } from "../../../../src/model/member-state.ts";
import { memberStateObject } from "../../../../src/model/member-state.ts";
import type { Cluster } from "../../../../src/model/generated/cluster.ts";
import type { ProtocolName } from "../../../../src/model/generated/protocol.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { refOf } from "../../../../src/model/kubernetes.ts";
import type { HubFacts } from "../../../../src/model/member.ts";
import { readPreviousName } from "../../../../src/model/previous-name.ts";
import { resourceTypeOf, resourceTypes } from "../../../../src/model/resource-types.ts";
import { fieldManagers, labelKeys } from "../../../../src/model/well-known.ts";
import { findCondition, readConditions } from "../../../../src/planning/conditions.ts";
import { originOf } from "../../../../src/planning/member-origin.ts";
import { hubFacts, startMs } from "../../join/hub-scene.ts";

export const workspace = "fleet";
/** A second workspace, where a test asks for it: the name of a cluster there is given as `labs/<name>`. */
export const otherWorkspace = "labs";

/** One request of the phases to the hub. */
export interface Request {
  readonly verb: "apply" | "status" | "create" | "patch" | "delete" | "token";
  readonly name: string;
  /** The object or the patch; of a deletion: its preconditions. */
  readonly object?: unknown;
  /** The field manager; of a deletion: none. */
  readonly manager?: string;
}

export interface ClusterParts {
  readonly spec?: Cluster["spec"];
  readonly annotations?: Record<string, string>;
  readonly labels?: Record<string, string>;
  /** Default: applied by git. */
  readonly manager?: string;
  readonly state?: MemberState;
  readonly status?: Cluster["status"];
}

/**
 * The ports of a hub in memory with these workspaces, at `startMs`, that serve these protocols. It counts what is read and
 * remembers what is asked.
 */
export async function openMemberWorld(
  workspaces: readonly string[] = [workspace],
  served: readonly JoinProtocol[] = [rollcallProtocol, kubefleetProtocol],
) {
  let nowMs = startMs;
  const clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: () => Promise.reject(new Error("no phase sleeps")),
  };
  const namespaces = workspaces.map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, uid: `workspace-${name}`, resourceVersion: "1", labels: { [labelKeys.workspace]: "" } },
  }));
  const hub = createSimulatedHub(namespaces, () => nowMs);
  const protocols: ReadonlyMap<ProtocolName, JoinProtocol> = new Map(served.map((each) => [each.name, each]));
  const view = new HubView({
    types: watchedTypes([...protocols.values()]),
    outsideTypes: outsideTypesOf(protocols),
    registrationTypeOf: (name) => protocols.get(name)?.registrations.type,
    startCache: hub.startCache,
    isAllowedWorkspace: () => true,
    shareValues: createValueSharing(),
    log: silentLog,
  });
  await view.whenSynced();
  const health = new HealthTimer({
    clock: { ...clock, sleep: (_ms, signal) => new Promise((_, reject) => signal?.addEventListener("abort", reject)) },
    onTurn: () => undefined,
    watchFailingSinceMs: () => undefined,
  });
  onTestFinished(async () => {
    health.stop();
    await view.stop();
  });
  const { signal } = new AbortController();
  const requests: Request[] = [];
  const reads = { members: 0, facts: 0 };
  const events: HubEvent[] = [];
  let requestMs = 0;
  const ask = (verb: Request["verb"], name: string, object?: unknown, manager?: string): void => {
    requests.push({ verb, name, object, ...(manager === undefined ? {} : { manager }) });
    nowMs += requestMs;
  };
  const nameOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name}`;
  const readMember = view.memberOf.bind(view);
  view.memberOf = (inWorkspace, name) => {
    reads.members += 1;
    return readMember(inWorkspace, name);
  };
  let facts: Partial<HubFacts> = {};
  const ports: MemberPorts = {
    hubApi: {
      ...hub.api,
      apply: (object, options) => {
        ask(options.subresource ?? "apply", nameOf(object), object, options.fieldManager);
        return hub.api.apply(object, options);
      },
      create: (object, options) => {
        ask("create", nameOf(object), object, options.fieldManager);
        return hub.api.create(object, options);
      },
      mergePatch: (ref, patch, options) => {
        ask("patch", `${ref.type.kind}/${ref.name}`, patch, options.fieldManager);
        return hub.api.mergePatch(ref, patch, options);
      },
      delete: (ref, options) => {
        const { uid, resourceVersion } = options ?? {};
        ask("delete", `${ref.type.kind}/${ref.name}`, { uid, resourceVersion });
        return hub.api.delete(ref, options);
      },
      requestToken: (request) => {
        ask("token", `ServiceAccount/${request.serviceAccount}`);
        return hub.api.requestToken(request);
      },
    },
    view,
    health,
    protocols,
    hubFacts: () => {
      reads.facts += 1;
      return hubFacts({ nowMs, ...facts });
    },
    agentRollout: () => ({}),
    clock,
    entropy: { bytes: (count) => new Uint8Array(count).fill(7) },
    log: silentLog,
    childFights: createChildFights(clock),
    events: { record: (event) => void events.push(event) },
    publishedHoldMs: () => 0,
    answerWaitMs: () => 0,
    connectDownstream: () => {
      throw new AppError("E_KUBE_UNREACHABLE", "connect to the cluster: nothing answers");
    },
    pendingAdmissions: { holdBackMs: () => 0 },
    callAside: (call) => call(),
  };

  /** Writes an object as another user, and lets the view have it. */
  const put = async (object: KubeObject, manager: string = fieldManagers.git): Promise<KubeObject> => {
    const { status, ...rest } = object;
    const written = await hub.api.apply(rest, { fieldManager: manager });
    if (status === undefined) return written;
    return hub.api.apply(object, { fieldManager: fieldManagers.hub, subresource: "status" });
  };
  const addCluster = async (place: string, parts: ClusterParts = {}): Promise<void> => {
    const { spec = {}, annotations = {}, labels = {}, manager, state, status } = parts;
    const { workspace: namespace, name } = placeOf(place);
    const metadata = { namespace, name, annotations, labels };
    const cluster = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, spec };
    await put({ ...cluster, ...(status === undefined ? {} : { status }) }, manager);
    if (state !== undefined) await put(memberStateObject(namespace, name, state), fieldManagers.hub);
  };
  /** The scope of a pass that begins now, with parts of its protocol replaced. What was asked and read before is forgotten. */
  const scopeOf = (
    place: string,
    protocol: ProtocolName = "rollcall",
    replaced: Partial<JoinProtocol> = {},
  ): MemberScope => {
    const { workspace: inWorkspace, name } = placeOf(place);
    const member = view.memberOf(inWorkspace, name);
    const its = protocols.get(protocol);
    if (!member || !its) throw new Error(`no member ${place} of ${protocol}`);
    requests.length = 0;
    Object.assign(reads, { members: 0, facts: 0 });
    return openMemberScope(ports, { member, protocol: { ...its, ...replaced } }, signal);
  };
  return {
    ports,
    signal,
    hub,
    put,
    addCluster,
    scopeOf,
    requests,
    reads,
    events,
    /** `verb Kind/name` of every request so far. */
    asked: () => requests.map(({ verb, name }) => `${verb} ${name}`),
    setNow: (ms: number) => void (nowMs = ms),
    /** How long each request takes from now on. Before: no time. */
    setRequestMs: (ms: number) => void (requestMs = ms),
    setFacts: (changes: Partial<HubFacts>) => void (facts = changes),
    /** Since when its Cluster has each condition, in each of the statuses that were written: equal ones are listed once. */
    timesOf: (name: string, type: string): string[] => {
      const written = requests.filter((request) => request.verb === "status" && request.name === `Cluster/${name}`);
      const times = written.flatMap(({ object }) => {
        const condition = findCondition(readConditions(object as KubeObject), type);
        return condition === undefined ? [] : [`${condition.status} since ${condition.lastTransitionTime}`];
      });
      return [...new Set(times)];
    },
    stateOf: (place: string) => view.memberStateOf(placeOf(place).workspace, placeOf(place).name),
    get: (object: KubeObject) => {
      const type = resourceTypeOf(object);
      return type && view.get(refOf(type, object));
    },
    /** How its Cluster was made, with the defaults of the server. */
    originOf: (name: string) => {
      const member = view.memberOf(workspace, name);
      return member && originOf(member.cluster);
    },
    clusterOf: (place: string) => {
      const { workspace: namespace, name } = placeOf(place);
      return view.get({ type: resourceTypes.cluster, namespace, name });
    },
  };
}

function placeOf(place: string): ClusterName {
  return readPreviousName(place, workspace);
}

export type MemberWorld = Awaited<ReturnType<typeof openMemberWorld>>;
