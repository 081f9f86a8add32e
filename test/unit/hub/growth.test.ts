import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import type { HubPorts } from "../../../src/hub/hub-ports.ts";
import { HubView } from "../../../src/hub/hub-view.ts";
import { provisionalMembers } from "../../../src/hub/provisional-members.ts";
import { refusalByName } from "../../../src/hub/exclusive-names.ts";
import { reconcileStateWithoutCluster } from "../../../src/hub/state-without-cluster.ts";
import { decideRegistration } from "../../../src/join/rollcall/hub/decide.ts";
import { keyDigest } from "../../../src/join/rollcall/messages.ts";
import type { KubeCacheOptions } from "../../../src/kube/kube.ts";
import { createKubeStore } from "../../../src/kube/kube-store.ts";
import { memberStateObject } from "../../../src/model/member-state.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import type { Member } from "../../../src/model/member.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { createPublishedIndex } from "../../../src/publish/published-index.ts";
import {
  hubFacts,
  makeAgent,
  memberOf,
  memberStateOf,
  proofKey,
  registrationOf,
  tokenSubject,
  workspace,
} from "../join/hub-scene.ts";
import type { TestAgent } from "../join/hub-scene.ts";
import { indexMembers } from "../../../src/planning/member-index.ts";

const { signal } = new AbortController();
const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Counts how often something of an object is read. */
class Visits {
  count = 0;

  of<T extends object>(object: T): T {
    return new Proxy(object, {
      get: (target, key, receiver): unknown => {
        this.count += 1;
        return Reflect.get(target, key, receiver);
      },
    });
  }
}

function viewOf(objects: readonly (readonly [ResourceType, KubeObject])[]): HubView {
  const feeds = new Map<string, (object: KubeObject) => void>();
  const view = new HubView({
    types: [resourceTypes.cluster, resourceTypes.configMap],
    startCache: (type: ResourceType, options: KubeCacheOptions) => {
      const store = createKubeStore(type);
      feeds.set(type.kind, (object) => {
        if (store.put(object)) options.onChange?.({ ref: refOf(type, object), object });
      });
      return {
        type,
        whenSynced: () => Promise.resolve(),
        isSynced: true,
        list: (within) => store.list(within),
        get: (within, name) => store.get(within, name),
        failingSinceMs: undefined,
        isAway: false,
        isStale: false,
        stop: () => Promise.resolve(),
      };
    },
    isAllowedWorkspace: () => true,
    log: silentLog,
  });
  const labels = { [labelKeys.workspace]: "" };
  feeds.get("Namespace")?.({ apiVersion: "v1", kind: "Namespace", metadata: { name: workspace, labels } });
  for (const [type, object] of objects) feeds.get(type.kind)?.(object);
  return view;
}

const clusterOf = (name: string, visits: Visits): KubeObject =>
  visits.of({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, namespace: workspace, resourceVersion: name, creationTimestamp: "2027-01-01T00:00:00Z" },
  });

const agent = makeAgent();

/** An agent with a key of its own: making one takes half a millisecond. */
function agentOf(at: number): TestAgent {
  const key = Buffer.from(agent.signingKey, "base64");
  key.writeUInt32BE(at, key.length - 4);
  const signingKey = key.toString("base64");
  return { ...agent, signingKey, digest: keyDigest(signingKey) };
}

/** What is done for each of so many members, and how often a member is read for it. */
const works: readonly (readonly [string, (count: number, visits: Visits) => unknown])[] = [
  [
    "what is published of each cluster",
    (count, visits) => {
      const index = createPublishedIndex();
      const labelsOf = (name: string) => ({
        [labelKeys.publishedWorkspace]: workspace,
        [labelKeys.publishedCluster]: name,
      });
      for (const at of times(count)) {
        const metadata = { name: `cluster-${at}`, namespace: "argocd", labels: labelsOf(`c-${at}`) };
        const object = visits.of({ apiVersion: "v1", kind: "Secret", metadata });
        index.record({ ref: refOf(resourceTypes.secret, object), object });
      }
      return times(count).map((at) => index.of(`${workspace}/c-${at}`));
    },
  ],
  [
    "the exclusive names of each new member",
    (count, visits) => {
      const view = viewOf(times(count).map((at) => [resourceTypes.cluster, clusterOf(`c-${at}`, visits)]));
      const protocol = {
        name: "rollcall" as const,
        exclusiveNames: ({ name }: Pick<Member, "name">) => [{ type: resourceTypes.namespace, name: `of-${name}` }],
      };
      return times(count).map((at) => refusalByName({ view }, protocol, view.memberOf(workspace, `c-${at}`) as Member));
    },
  ],
  [
    "registrations while as many members are there",
    (count, visits) => {
      const members = provisionalMembers(
        workspace,
        indexMembers(
          times(count).map((at) => {
            const join = { token: "edge", tokenUse: at, time: "2027-01-01T00:00:00Z", registration: `r-${at}` };
            return visits.of(
              memberOf(`m-${at}`, { state: { clientID: `id-${at}`, join: { ...join, initiated: "agent" } } }),
            );
          }),
        ),
      );
      for (const at of times(count)) {
        const asked = { tokenName: "edge", proofKey, clientID: `new-${at}`, clusterName: `new-${at}` };
        const scene = { token: tokenSubject("edge"), members: members.index, tokens: () => [] };
        const decision = decideRegistration(registrationOf(agentOf(at), asked), scene, hubFacts());
        if (decision.kind !== "granted") throw new Error(`registration ${at}: ${decision.kind}`);
        members.letIn(decision);
      }
    },
  ],
  [
    "clusters that are deleted by hand",
    async (count, visits) => {
      const state = memberStateOf(agent, { origin: { isDeclared: false } });
      const states = times(count).map((at) => memberStateObject(workspace, `lost-${at}`, state));
      const view = viewOf([
        ...times(count).map((at) => [resourceTypes.cluster, clusterOf(`c-${at}`, visits)] as const),
        ...states.map((kept) => [resourceTypes.configMap, visits.of(kept)] as const),
      ]);
      const made: string[] = [];
      const hubApi = {
        get: ({ type, name }: { readonly type: ResourceType; readonly name: string }) =>
          Promise.resolve(
            type === resourceTypes.configMap ? states.find((one) => one.metadata.name === name) : undefined,
          ),
        apply: (object: KubeObject) => {
          made.push(object.metadata.name);
          return Promise.resolve({
            ...object,
            metadata: { ...object.metadata, resourceVersion: object.metadata.name },
          });
        },
      };
      const context = { view, hubApi, log: silentLog, protocols: new Map() } as unknown as HubPorts;
      for (const at of times(count))
        await reconcileStateWithoutCluster(context, { workspace, name: `lost-${at}` }, signal);
      expect(made).toHaveLength(count);
    },
  ],
];

describe("work for all members of a fleet", () => {
  it.each(works)("A51 reads members in proportion to their number: %s", async (_, work) => {
    const counts: number[] = [];
    for (const count of [250, 500, 1_000]) {
      const visits = new Visits();
      await work(count, visits);
      counts.push(visits.count);
    }
    const [first = 0, second = 0, third = 0] = counts;
    expect(first).toBeGreaterThan(0);
    expect(
      [second / first, third / second].every((growth) => growth < 2.3),
      counts.join(", "),
    ).toBe(true);
  });

  it("a list of one namespace has only what is there", () => {
    const visits = new Visits();
    const cluster = clusterOf("c", visits) as Cluster;
    expect(viewOf([[resourceTypes.cluster, cluster]]).list(resourceTypes.cluster, workspace)).toEqual([cluster]);
    expect(viewOf([[resourceTypes.cluster, cluster]]).list(resourceTypes.cluster, "other")).toEqual([]);
  });
});
