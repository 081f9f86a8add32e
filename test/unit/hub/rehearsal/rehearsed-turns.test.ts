import { describe, expect, it } from "vitest";
import type { CredentialDue, JoinProtocol } from "../../../../src/join/join.ts";
import { rollcallProtocol } from "../../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { refOf } from "../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../src/model/member.ts";
import { memberStateObject } from "../../../../src/model/member-state.ts";
import type { PlannedChange } from "../../../../src/model/plan.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { valueAt } from "../../../../src/core/read-json.ts";
import { startMs } from "../../join/hub-scene.ts";
import { applied, create, declared, namespace, rehearse } from "./rehearsal-scene.ts";

const turns = 20;
const due: CredentialDue = { purpose: "working", workspace: "fleet", how: { kind: "random" }, reason: "test" };

/** A member that is on the hub, and the change of its file to which the protocol of a test responds. */
const cluster = declared("Cluster", {}, { uid: "u", resourceVersion: "1", ...applied });
const state = memberStateObject("fleet", "eu-1", { origin: { isDeclared: true, spec: { protocol: "rollcall" } } });
const change = create(declared("Cluster", {}, { annotations: { "example.com/changed": "" } }), "update");
const isChanged = ({ cluster: { metadata } }: Member): boolean =>
  metadata.annotations?.["example.com/changed"] !== undefined;

function childOf(name: string, data: object = {}, label = "rollcall.dev/cluster"): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "fleet", labels: { [label]: "eu-1" } },
    data,
  };
}

const named = (children: readonly KubeObject[], name: string): KubeObject | undefined =>
  children.find(({ metadata }) => metadata.name === name);
const countOf = (children: readonly KubeObject[], prefix: string): number =>
  children.filter(({ metadata }) => metadata.name.startsWith(prefix)).length;
const list = (count: number, of: (index: number) => KubeObject): KubeObject[] =>
  Array.from({ length: count }, (_, index) => of(index));

/** A protocol that wants nothing, but for these methods. */
function protocolOf(changes: Partial<JoinProtocol>): ReadonlyMap<"rollcall", JoinProtocol> {
  const nothing: Partial<JoinProtocol> = {
    desiredObjects: () => [],
    desiredTokenObjects: () => [],
    credentialsDue: () => [],
  };
  return new Map([["rollcall", { ...rollcallProtocol, ...nothing, ...changes }]]);
}

/** What follows from the change of the member. */
const rehearseChange = (changes: Partial<JoinProtocol>, objects: readonly KubeObject[] = []) =>
  rehearse([change], { objects: [namespace, cluster, state, ...objects], protocols: protocolOf(changes) });

const none = { creates: [], updates: [], deletes: [], credentials: [], steps: [] };
const name = "Cluster/fleet/eu-1";
const done = childOf("done");

describe("the turns in which rehearseChanges works on a member", () => {
  it.each<{ reason: string; protocol: Partial<JoinProtocol>; objects?: readonly KubeObject[]; work: object }>([
    {
      reason: "objects",
      protocol: {
        desiredObjects: (member) =>
          isChanged(member)
            ? list(Math.min(turns, countOf(member.children, "c-") + 1), (at) => childOf(`c-${at}`))
            : [],
      },
      work: {
        creates: list(turns, (at) => childOf(`c-${at}`)).map(({ metadata }) => `ConfigMap/fleet/${metadata.name}`),
      },
    },
    {
      reason: "the content of one of its objects",
      protocol: {
        desiredObjects: (member) => {
          const count = Number(valueAt(named(member.children, "counter"), "data", "count") ?? 0);
          const next = isChanged(member) ? Math.min(turns, count + 1) : 0;
          const counter = childOf("counter", { count: String(next) });
          return [childOf("steady"), counter, ...(count === turns ? [done] : [])];
        },
      },
      objects: [childOf("steady"), childOf("counter", { count: "0" })],
      work: { creates: ["ConfigMap/fleet/done"], updates: ["ConfigMap/fleet/counter"] },
    },
    {
      reason: "its state",
      protocol: {
        credentialsDue: (subject) =>
          subject.kind === "member" && isChanged(subject.member) && numberOf(subject.member) < turns ? [due] : [],
        deliver: async (subject) => {
          if (subject.kind === "token") throw new Error("no token is asked for");
          const { member } = subject;
          const next = { ...member.state, lastCredentialNumber: numberOf(member) + 1 };
          return { objects: [], statusWrites: [], state: next };
        },
      },
      work: {
        updates: ["ConfigMap/fleet/rollcall-cluster-eu-1"],
        credentials: list(turns, () => done).map(() => "working"),
      },
    },
    {
      reason: "its status",
      protocol: {
        factsOf: (member, hub) => {
          const version = isChanged(member) ? Math.min(turns, versionOf(member) + 1) : 0;
          return { ...rollcallProtocol.factsOf(member, hub), status: { kubernetesVersion: `v1.${version}` } };
        },
        desiredObjects: (member) => (versionOf(member) === turns ? [done] : []),
      },
      work: { creates: ["ConfigMap/fleet/done"] },
    },
  ])("end when it no longer changes: $reason", async ({ protocol, objects, work }) => {
    expect(await rehearseChange(protocol, objects)).toEqual({ work: [{ name, ...none, ...work }], notes: [] });
  });

  it("end after forty without a result, twice for each change, and the plan has what was done", async () => {
    let passes = 0;
    const { work, notes } = await rehearseChange({
      desiredObjects: (member) =>
        isChanged(member) ? list(countOf(member.children, "c-") + 1, (at) => childOf(`c-${at}`)) : [],
      statusWrites: (member) => {
        if (isChanged(member)) passes += 1;
        return [];
      },
    });
    expect(notes).toEqual([`What the hub does for ${name} in the end is not known.`]);
    expect(passes).toBe(80);
    expect(work[0]?.creates.length).toBeGreaterThanOrEqual(80);
  });

  it("end with a failure of the hub, which the plan names", async () => {
    const protocol: Partial<JoinProtocol> = {
      desiredObjects: (member) => {
        if (isChanged(member)) throw new Error("it is broken");
        return [];
      },
    };
    const { notes } = await rehearseChange(protocol);
    expect(notes).toEqual([`What the hub does for ${name} is not known: it is broken.`]);
  });

  it("do not begin for a kind without a controller, whatever Cluster has its name", async () => {
    const kubeConfigSecretRef = { name: "missing" };
    const broken = (): never => {
      throw new Error("it is broken");
    };
    const objects = [namespace, declared("Cluster", { kubeConfigSecretRef }, applied)];
    expect(
      await rehearse([create(declared("ClusterGroup"))], {
        objects,
        protocols: protocolOf({ desiredObjects: broken }),
      }),
    ).toEqual({ work: [], notes: [] });
  });

  it("pass the time of an offboarding, and of nothing else", async () => {
    const leaving = declared(
      "Cluster",
      { deletionGracePeriod: "24h" },
      { name: "eu-2", uid: "u2", resourceVersion: "1", ...applied },
    );
    const ref = refOf(resourceTypes.cluster, leaving);
    const leave: PlannedChange = { kind: "leave", ref, commit: "abc", uid: "u2", resourceVersion: "1", reason: "test" };
    const times = new Set<number>();
    const protocols = protocolOf({
      credentialsDue: (subject, hub) => {
        if (subject.kind === "member" && subject.member.name === "eu-1") times.add(hub.nowMs);
        return [];
      },
    });
    const { work, notes } = await rehearse([leave, change], {
      objects: [namespace, cluster, state, leaving],
      protocols,
    });
    expect(notes).toEqual([]);
    expect(work.map((each) => each.name)).toEqual(["Cluster/fleet/eu-2"]);
    expect(work[0]?.deletes).toContain("Cluster/fleet/eu-2");
    expect([...times]).toEqual([startMs]);
  });

  it("have no end for a member whose previous protocol is not served", async () => {
    const former = memberStateObject("fleet", "eu-1", { origin: { isDeclared: true, spec: { protocol: "fleet" } } });
    const { notes } = await rehearse([change], { objects: [namespace, cluster, former], protocols: protocolOf({}) });
    expect(notes).toEqual([`What the hub does for ${name} in the end is not known.`]);
  });

  it("are none for a suspended cluster", async () => {
    const suspended = declared("Cluster", {}, { annotations: { "rollcall.dev/reconcile": "disabled" } });
    expect(await rehearse([create(suspended)], { protocols: protocolOf({}) })).toEqual({ work: [], notes: [] });
  });
});

describe("the turns in which rehearseChanges works on a token", () => {
  const token = create(declared("ClusterRegistrationToken"));
  const ofToken = (at: number): KubeObject => childOf(`t-${at}`, {}, "rollcall.dev/token");

  it.each([
    { reason: "end when its objects no longer change", most: turns, turnsTaken: turns + 2 },
    { reason: "end after forty, twice for each change", most: Infinity, turnsTaken: 80 },
  ])("$reason", async ({ most, turnsTaken }) => {
    let passes = 0;
    const { work, notes } = await rehearse([token], {
      protocols: protocolOf({
        desiredTokenObjects: ({ children }) => list(Math.min(most, countOf(children, "t-") + 1), ofToken),
        tokenStatuses: () => {
          passes += 1;
          return [];
        },
      }),
    });
    expect(work[0]?.creates).toHaveLength(Math.min(most, 80));
    expect([passes, notes]).toEqual([turnsTaken, []]);
  });
});

function numberOf({ state: { lastCredentialNumber = 0 } = {} }: Member): number {
  return lastCredentialNumber;
}

function versionOf({ cluster: { status } }: Member): number {
  return Number(status?.kubernetesVersion?.slice("v1.".length) ?? 0);
}
