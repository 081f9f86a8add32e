import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import {
  failedInstall,
  installDownstream,
  readKubeconfig,
  uninstallAgent,
} from "../../../../src/hub/members/downstream.ts";
import { createSimulatedHub } from "../../../../src/hub/rehearsal/simulated-hub.ts";
import { clusternetProtocol } from "../../../../src/join/clusternet/hub/clusternet-protocol.ts";
import { fleetProtocol } from "../../../../src/join/fleet/hub/fleet-protocol.ts";
import { kubefleetProtocol } from "../../../../src/join/kubefleet/hub/kubefleet-protocol.ts";
import { rollcallProtocol } from "../../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { KubeApi } from "../../../../src/kube/kube.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { describeRef, refOf } from "../../../../src/model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../../../../src/model/resource-types.ts";
import { memberOf } from "../../join/hub-scene.ts";
import { coreObject } from "../objects.ts";
import { openMemberWorld } from "./member-world.ts";

const ours = { "app.kubernetes.io/managed-by": "rollcall" };
const bootstrap = { number: 3, values: {} };
const { signal } = new AbortController();
const onBegin = () => Promise.resolve();

function deployment(labels: Record<string, string>): KubeObject {
  return { ...coreObject("Deployment", "agent", { labels }), apiVersion: "apps/v1" };
}

function refsOf(objects: readonly KubeObject[]) {
  return objects.map((object) => refOf(resourceTypeOf(object) ?? resourceTypes.secret, object));
}

describe("readKubeconfig", () => {
  const data = { value: Buffer.from("text").toString("base64") };
  it.each([
    { reason: "names no Secret", ref: undefined, secret: {}, kind: "none" },
    { reason: "names a Secret that is not there", ref: { name: "k" }, secret: undefined, kind: "missing" },
    { reason: "names a key that is not there", ref: { name: "k", key: "x" }, secret: { data }, kind: "missing" },
    { reason: "names a Secret", ref: { name: "k" }, secret: { data }, kind: "found" },
  ])("is $kind when the Cluster $reason", ({ ref, secret, kind }) => {
    const view = { get: () => secret && coreObject("Secret", "k", {}, secret) };
    const spec = ref === undefined ? {} : { kubeConfigSecretRef: ref };
    expect(readKubeconfig(view, memberOf("eu-1", { spec })).kind).toBe(kind);
  });
});

describe("installDownstream", () => {
  async function install(objects: readonly KubeObject[], formerNamespace?: string) {
    const agent = { namespace: "rollcall-agent", redeployGeneration: 4 };
    const world = await openMemberWorld();
    const downstream = createSimulatedHub(objects, () => 0);
    const state = formerNamespace === undefined ? {} : { install: { namespace: formerNamespace } as never };
    const member = memberOf("eu-1", { spec: { agent }, state });
    const options = { member, downstreamApi: downstream.api, kubeconfigDigest: "d", bootstrap, onBegin, signal };
    const result = await installDownstream(world.ports, rollcallProtocol, options);
    return { result, writes: downstream.writes.map(({ verb, ref }) => `${verb} ${ref.type.kind}/${ref.name}`) };
  }
  const namespaceOf = (metadata: Partial<KubeObject["metadata"]>): KubeObject => {
    const name = "rollcall-agent";
    return { apiVersion: "v1", kind: "Namespace", metadata: { name, uid: "u", resourceVersion: "1", ...metadata } };
  };

  it("applies the whole manifest, and records by what", async () => {
    const { result, writes } = await install([]);
    expect(writes).toContain("create Namespace/rollcall-agent");
    expect(result).toMatchObject({ kubeconfigDigest: "d", redeployGeneration: 4, bootstrap: 3 });
    expect(result?.namespace).toBe("rollcall-agent");
  });

  it("reports where it begins before anything is there, and not where the cluster cannot be reached", async () => {
    const world = await openMemberWorld();
    const downstream = createSimulatedHub([], () => 0);
    const begun: unknown[] = [];
    const installBy = (downstreamApi: KubeApi) =>
      installDownstream(world.ports, rollcallProtocol, {
        member: memberOf("eu-1", { spec: { agent: { namespace: "there" } } }),
        downstreamApi,
        kubeconfigDigest: "d",
        bootstrap,
        onBegin: async (namespace) => void begun.push([namespace, downstream.writes.length]),
        signal,
      });
    const unreachable = { ...downstream.api, get: () => Promise.reject(new Error("nothing answers")) };
    await expect(installBy(unreachable)).rejects.toThrow("nothing answers");
    expect(begun).toEqual([]);
    await installBy(downstream.api);
    expect(begun).toEqual([["there", 0]]);
  });

  it.each([
    { reason: "of another owner stays as it is", metadata: {}, touched: false, isInstalled: true },
    { reason: "of ours is applied", metadata: { labels: ours }, touched: true, isInstalled: true },
    {
      reason: "that is being deleted is waited for",
      metadata: { labels: ours, deletionTimestamp: "2027-01-01T00:00:00Z", finalizers: ["kubernetes"] },
      touched: false,
      isInstalled: false,
    },
  ])("a namespace $reason", async ({ metadata, touched, isInstalled }) => {
    const { result, writes } = await install([namespaceOf(metadata)]);
    expect(writes.includes("update Namespace/rollcall-agent")).toBe(touched);
    expect(result !== undefined).toBe(isInstalled);
  });

  it.each([
    { former: "old-place", isDeleted: true },
    { former: "rollcall-agent", isDeleted: false },
  ])("deletes the agent in its former namespace $former: $isDeleted", async ({ former, isDeleted }) => {
    const { writes } = await install([namespaceOf({ labels: ours, name: former })], former);
    expect(writes.includes(`delete Namespace/${former}`)).toBe(isDeleted);
  });
});

describe("installDownstream: an agent that moves to another namespace", () => {
  const values: Readonly<Record<string, object>> = {
    kubefleet: { token: "t" },
    clusternet: { regToken: "t" },
    fleet: { token: "t" },
  };
  const spec = {
    kubeConfigSecretRef: { name: "k" },
    fleet: { agentSchedulingCustomization: { priorityClass: { value: 1 } } },
  };

  it.each([rollcallProtocol, fleetProtocol, kubefleetProtocol, clusternetProtocol])(
    "of $name keeps what is not in a namespace: its rights, and definitions with all that hangs on them",
    async (protocol) => {
      const world = await openMemberWorld();
      const downstream = createSimulatedHub([], () => 0);
      const installIn = async (namespace: string, state: object) => {
        const member = memberOf("eu-1", { spec: { ...spec, protocol: protocol.name, agent: { namespace } }, state });
        const pending = { number: 1, values: { ...values[protocol.name] } };
        const options = {
          member,
          downstreamApi: downstream.api,
          kubeconfigDigest: "d",
          bootstrap: pending,
          onBegin,
          signal,
        };
        const install = await installDownstream(world.ports, protocol, options);
        return { install, refs: refsOf(protocol.agentManifest(member, world.ports.hubFacts(), pending.values)) };
      };
      const former = await installIn("one", {});
      const { refs } = await installIn("two", { install: former.install });
      expect(refs.filter((ref) => !downstream.has(ref)).map(describeRef)).toEqual([]);
      const stays = new Set(refs.map(describeRef));
      const left = former.refs.filter((ref) => !stays.has(describeRef(ref)) && downstream.has(ref));
      expect(left.map(({ type }) => type.kind).filter((kind) => kind !== "Secret")).toEqual([]);
    },
  );
});

describe("installDownstream: what a Cluster no longer asks for", () => {
  const priorityClass = { value: 1 };
  const both = { priorityClass, podDisruptionBudget: { maxUnavailable: "1" } };
  const old = [
    "PriorityClass/fleet-agent-priority-class",
    "PodDisruptionBudget/cattle-fleet-system/fleet-agent-pod-disruption-budget",
  ];

  async function changed(customization: object): Promise<string[]> {
    const world = await openMemberWorld();
    const downstream = createSimulatedHub([], () => 0);
    const installWith = (agentSchedulingCustomization: object) => {
      const spec = { protocol: "fleet" as const, fleet: { agentSchedulingCustomization } };
      const pending = { number: 1, values: { token: "t" } };
      const options = { downstreamApi: downstream.api, kubeconfigDigest: "d", bootstrap: pending, onBegin, signal };
      return installDownstream(world.ports, fleetProtocol, { member: memberOf("eu-1", { spec }), ...options });
    };
    await installWith(both);
    const before = downstream.writes.length;
    await installWith(customization);
    return downstream.writes
      .slice(before)
      .map(({ verb, ref }) => `${verb} ${ref.type.kind}/${ref.namespace ? `${ref.namespace}/` : ""}${ref.name}`)
      .filter((write) => old.some((object) => write.endsWith(` ${object}`)));
  }

  it("is deleted", async () => {
    expect((await changed({})).sort()).toEqual(old.map((object) => `delete ${object}`).sort());
    expect(await changed({ priorityClass })).toEqual([`delete ${old[1]}`]);
    expect(await changed(both)).toEqual([]);
  });

  it.each([{ value: 2 }, { value: 1, preemptionPolicy: "Never" }])(
    "is made anew where an API server would refuse a change: a priority of %j",
    async (other) => {
      expect(await changed({ ...both, priorityClass: other })).toEqual([`delete ${old[0]}`, `create ${old[0]}`]);
    },
  );
});

describe("installDownstream: a new token for a paused member", () => {
  it.each(["fleet-system", "elsewhere"])(
    "is sent to the agent where that is, and removes nothing; the file declares %s",
    async (namespace) => {
      const world = await openMemberWorld();
      const downstream = createSimulatedHub([], () => 0);
      const renew = (agent: object, state: object, token: string) => {
        const member = memberOf("eu-1", { spec: { protocol: "kubefleet", ...agent }, state });
        const pending = { number: 1, values: { token } };
        const options = {
          member,
          downstreamApi: downstream.api,
          kubeconfigDigest: "d",
          bootstrap: pending,
          onBegin,
          signal,
        };
        return installDownstream(world.ports, kubefleetProtocol, options);
      };
      const install = await renew({}, {}, "first");
      const paused = { paused: true, agent: { namespace } };
      const before = downstream.writes.length;
      expect(await renew(paused, { install }, "second")).toMatchObject({ namespace: "fleet-system" });
      const writes = downstream.writes.slice(before).map(({ verb, ref }) => `${verb} ${describeRef(ref)}`);
      expect(writes).toEqual([expect.stringMatching(/^update .*fleet-system\/hub-kubeconfig-secret$/u)]);
    },
  );
});

describe("uninstallAgent", () => {
  it.each([
    { reason: "deletes what is ours", labels: ours, left: [] },
    { reason: "leaves what is of others", labels: {}, left: ["ConfigMap/c"] },
  ])("$reason", async ({ labels, left }) => {
    const objects = [coreObject("ConfigMap", "c", { labels })];
    const downstream = createSimulatedHub(objects, () => 0);
    expect(await uninstallAgent(downstream.api, refsOf(objects), signal)).toBe(true);
    expect(objects.filter((object) => downstream.has(refsOf([object])[0] as never)).map(() => "ConfigMap/c")).toEqual(
      left,
    );
  });

  it("deletes the rest when the Deployment is deleted, not before", async () => {
    const held = { ...deployment(ours), metadata: { ...deployment(ours).metadata, finalizers: ["x/y"] } };
    const rest = coreObject("ConfigMap", "c", { labels: ours });
    for (const [first, isDone] of [
      [held, false],
      [deployment(ours), true],
    ] as const) {
      // oxfmt-ignore
      const downstream = createSimulatedHub([first, rest], () => 0);
      expect(await uninstallAgent(downstream.api, refsOf([rest, first]), signal)).toBe(isDone);
      const order = isDone ? ["Deployment", "ConfigMap"] : ["Deployment"];
      expect(downstream.writes.map(({ ref }) => ref.type.kind)).toEqual(order);
    }
  });

  it("deletes by uid, and not twice", async () => {
    const downstream = createSimulatedHub([], () => 0);
    const asked: unknown[] = [];
    const live = [
      coreObject("ConfigMap", "a", { labels: ours }),
      coreObject("ConfigMap", "b", { labels: ours, deletionTimestamp: "x" }),
    ];
    const api = {
      ...downstream.api,
      get: ({ name }: { name: string }) => Promise.resolve(live.find(({ metadata }) => metadata.name === name)),
      delete: (_ref: unknown, options: unknown) => Promise.resolve(void asked.push(options)),
    };
    await uninstallAgent(api, refsOf(live), signal);
    expect(asked).toMatchObject([{ uid: "uid-a", propagation: "Background" }]);
  });
});

describe("failedInstall", () => {
  it.each([
    ["E_KUBECONFIG", "failed", "KubeconfigRefused"],
    ["E_KUBE_UNAUTHORIZED", "failed", "KubeconfigUnauthorized"],
    ["E_KUBE_FORBIDDEN", "failed", "KubeconfigForbidden"],
    ["E_KUBE_TLS", "failed", "DownstreamCertificateNotTrusted"],
    ["E_KUBE_UNREACHABLE", "pending", "DownstreamUnreachable"],
    ["E_KUBE_INVALID", "failed", "InstallFailed"],
    ["E_KUBE_SERVER", "pending", "InstallFailed"],
  ] as const)("reports %s as %s, %s", (code, kind, reason) => {
    expect(failedInstall(new AppError(code, "apply"), "https://c")).toMatchObject({ kind, reason });
  });

  it("reports another error as pending", () => {
    expect(failedInstall(new TypeError("x"), "https://c")).toMatchObject({ kind: "pending", reason: "InstallFailed" });
  });
});
