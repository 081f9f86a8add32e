import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import { createKubeApi } from "../../src/kube/kube-api.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { createUndiciTransport } from "../../src/kube/undici-transport.ts";
import type { KubeObject, ResourceType } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { DaemonPlane } from "../support/daemon-plane.ts";
import { daemonNamespace, fileOf, planeWorkspace as workspace, startDaemonPlane } from "../support/daemon-plane.ts";
import { startFaultyProxy } from "../support/faulty-proxy.ts";
import type { FaultyProxy } from "../support/faulty-proxy.ts";
import { realClock, realRandom } from "../support/real-time.ts";
import { startProgram } from "../support/run-program.ts";
import { until } from "../support/until.ts";

const { cluster, clusterGroup, configMap, customResourceDefinition, repository, role } = resourceTypes;
const fleet = { type: repository, namespace: daemonNamespace, name: "fleet" };

const quota = kind("v1", "ResourceQuota", "resourcequotas", true);
const policy = kind("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies");
const binding = kind(
  "admissionregistration.k8s.io/v1",
  "ValidatingAdmissionPolicyBinding",
  "validatingadmissionpolicybindings",
);

describe("a daemon on a hub that refuses or fails", () => {
  let session: DaemonPlane;
  let api: KubeApi;
  let proxy: FaultyProxy;
  let wave = 0;

  beforeAll(async () => {
    session = await startDaemonPlane();
    api = createKubeApi({
      transport: createUndiciTransport(readKubeconfig(session.plane.kubeconfig)),
      clock: realClock,
      random: realRandom,
      types: [quota, policy, binding],
    });
    await session.repository.commit({ files: { "one.yaml": fileOf("Cluster", "one", {}) } });
    proxy = await startFaultyProxy(session.plane);
    await session.startDaemon({ through: proxy });
    await untilStatusOf("one");
  });
  beforeEach(() => void wave++);
  afterAll(async () => {
    await api?.close();
    await session?.close();
    await proxy?.close();
  });

  it("names the object that a policy refuses, and applies the rest of the commit", async () => {
    await create(noClustersNamed("refused"));
    await create(bindingOf("no-refused"));
    await untilRefused("refused");
    await commit({ "refused.yaml": fileOf("Cluster", "refused", {}), "fine.yaml": fileOf("Cluster", "fine", {}) });
    await untilApplied("False", /Cluster\/fleet\/refused: .*no cluster is called refused/u);
    await untilStatusOf("fine");
    await session.admin.delete({ type: binding, name: "no-refused" });
    await untilApplied("True");
    await untilStatusOf("refused");
  });

  it("reports which right is missing when it is removed, applies the rest, and continues when it is back", async () => {
    const ref = { type: role, namespace: workspace, name: `rollcall.${daemonNamespace}` };
    const rules = objectsAt(await session.admin.get(ref), "rules");
    const without = rules.map((rule) =>
      JSON.stringify(rule["resources"]).includes('"clusters"')
        ? { ...rule, resources: ["clusterregistrationtokens", "clustergroups"] }
        : rule,
    );
    const readOnly = { apiGroups: ["rollcall.dev"], resources: ["clusters"], verbs: ["list", "watch"] };
    await session.admin.mergePatch(ref, { rules: [...without, readOnly] as never }, { fieldManager: "test" });
    await commit({
      "late.yaml": fileOf("Cluster", "late", {}),
      "group.yaml": fileOf("ClusterGroup", "group", { selector: { names: ["*"] } }),
    });
    await untilApplied("False", /Cluster\/fleet\/late: .*cannot patch resource/u);
    await session.until({ type: clusterGroup, namespace: workspace, name: "group" }, (object) => object !== undefined);
    await session.admin.mergePatch(ref, { rules: rules }, { fieldManager: "test" });
    await untilApplied("True");
    await untilStatusOf("late");
  });

  it("shows a full quota on the cluster that it hits, while others are changed, and continues when there is room", async () => {
    const used = (await session.admin.list(configMap, { namespace: workspace })).items.length;
    const metadata = { name: "full", namespace: workspace };
    await create({ apiVersion: "v1", kind: "ResourceQuota", metadata, spec: { hard: { configmaps: `${used}` } } });
    await session.until(
      { type: quota, ...metadata },
      (object) => textAt(object, "status", "hard", "configmaps") !== undefined,
    );
    await commit({
      "big.yaml": fileOf("Cluster", "big", {}),
      "one.yaml": fileOf("Cluster", "one", {}, { wave: `${wave}` }),
    });
    await session.until(
      { type: cluster, namespace: workspace, name: "big" },
      (object) =>
        (conditionOf(object, "Stalled")?.["message"] as string | undefined)?.includes("exceeded quota: full") === true,
    );
    await session.until({ type: cluster, namespace: workspace, name: "one" }, isLabelled);
    await session.admin.delete({ type: quota, ...metadata });
    await session.until({ type: cluster, namespace: workspace, name: "big" }, (object) => {
      return conditionOf(object, "Accepted") !== undefined && conditionOf(object, "Stalled") === undefined;
    });
  });

  it("F11 outlasts an API server that answers 429 to everything it asks, and does not ask in a tight loop", async () => {
    const before = proxy.faultTimesMs.length;
    proxy.setFault(() => ({ status: 429, retryAfterSeconds: 1 }));
    await commit({ "one.yaml": fileOf("Cluster", "one", {}, { wave: `${wave}` }) });
    await until(
      () => Promise.resolve(proxy.faultTimesMs.length - before),
      (count) => count >= 10,
    );
    const times = proxy.faultTimesMs.slice(before);
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
    expect(seconds).toBeGreaterThan(1);
    proxy.setFault(() => undefined);
    await session.until({ type: cluster, namespace: workspace, name: "one" }, isLabelled);
    await untilApplied("True");
  });

  it("applies the rest while answers about one kind come too late", async () => {
    let release = (): void => undefined;
    const answer = new Promise<void>((resolve) => (release = resolve));
    proxy.setFault((method, path) => {
      return method === "PATCH" && path.includes("/clustergroups/") ? { until: answer } : undefined;
    });
    await commit({
      "slow.yaml": fileOf("ClusterGroup", "slow", { selector: { names: ["*"] } }),
      "one.yaml": fileOf("Cluster", "one", {}, { wave: `${wave}` }),
    });
    await session.until({ type: cluster, namespace: workspace, name: "one" }, isLabelled);
    expect(await session.admin.get({ type: clusterGroup, namespace: workspace, name: "slow" })).toBeUndefined();
    release();
    await untilApplied("True");
    proxy.setFault(() => undefined);
  });

  it("F9 continues after the API server was killed and started again, and deletes nothing", async () => {
    const before = await uids();
    await session.plane.killApiServer();
    await commit({ "one.yaml": fileOf("Cluster", "one", {}, { wave: `${wave}` }) });
    await session.plane.startApiServer();
    await session.until({ type: cluster, namespace: workspace, name: "one" }, isLabelled);
    await untilApplied("True");
    expect(await uids()).toEqual(before);
    expect((await session.calls()).filter(({ verb }) => verb === "delete")).toEqual([]);
  });

  it("does not start where a definition is older, or missing, and prints the remedy", async () => {
    const name = "clusters.rollcall.dev";
    const live = await session.admin.get({ type: customResourceDefinition, name });
    const older = JSON.parse(JSON.stringify(live), (key, value: unknown) =>
      key === "deletionProtection" ? undefined : value,
    ) as KubeObject;
    const update = (object: KubeObject) => session.admin.update(object, { fieldManager: "test" });
    const updated = await update(withoutRulesOn(older, "deletionProtection"));
    expect(await startOutput()).toMatch(/E_KUBE_DEFINITION.*clusters\.rollcall\.dev.*has no spec\.deletionProtection/u);
    const ref = { type: customResourceDefinition, name: updated.metadata.name };
    await session.admin.delete(ref);
    // Its finalizer ends after the objects.
    await session.until(ref, (object) => object === undefined);
    expect(await startOutput()).toMatch(/E_KUBE_NOT_FOUND.*clusters\.rollcall\.dev.*install the chart/u);
  });

  async function create(object: KubeObject): Promise<void> {
    await api.create(object, { fieldManager: "test" });
  }

  async function commit(files: Record<string, string>): Promise<void> {
    await session.repository.commit({ files });
  }

  function isLabelled(object: KubeObject | undefined): boolean {
    return object?.metadata.labels?.["wave"] === `${wave}`;
  }

  async function untilApplied(status: "True" | "False", message = /./u): Promise<void> {
    const head = (await session.repository.git("rev-parse", "main")).trim();
    await session.until(fleet, (object) => {
      const condition = conditionOf(object, "Applied");
      const isHead = textAt(object, "status", "observedCommit") === head;
      return isHead && condition?.["status"] === status && message.test(String(condition["message"]));
    });
  }

  async function untilStatusOf(name: string): Promise<void> {
    const ref = { type: cluster, namespace: workspace, name };
    await session.until(ref, (object) => conditionOf(object, "Accepted")?.["status"] === "True");
  }

  /** A policy works a moment after it was made. */
  async function untilRefused(name: string): Promise<void> {
    for (;;) {
      const object = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name, namespace: workspace } };
      try {
        await session.admin.create(object, { fieldManager: "test" });
      } catch {
        return; // that is what was waited for
      }
      await session.admin.delete({ type: cluster, namespace: workspace, name });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async function uids(): Promise<(string | undefined)[]> {
    const { items } = await session.admin.list(cluster, { namespace: workspace });
    return items.map(({ metadata }) => metadata.uid);
  }

  async function startOutput(): Promise<string> {
    const program = startProgram([
      "run",
      "--repo",
      session.repository.path,
      "--kubeconfig",
      session.plane.kubeconfigPath,
    ]);
    const code = await new Promise<number | null>((resolve) => program.child.once("close", resolve));
    expect(code).toBe(1);
    return program.lines.join("\n");
  }
});

function conditionOf(object: KubeObject | undefined, type: string): Record<string, unknown> | undefined {
  return objectsAt(object, "status", "conditions").find((condition) => condition["type"] === type);
}

function withoutRulesOn(crd: KubeObject, field: string): KubeObject {
  return JSON.parse(JSON.stringify(crd), (key, value: unknown) =>
    key === "x-kubernetes-validations" && JSON.stringify(value).includes(field) ? undefined : value,
  ) as KubeObject;
}

function kind(apiVersion: string, name: string, plural: string, isNamespaced = false): ResourceType {
  const [group = "", version] = apiVersion.split("/");
  return version === undefined
    ? { group: "", version: group, kind: name, plural, isNamespaced }
    : { group, version, kind: name, plural, isNamespaced };
}

function noClustersNamed(name: string): KubeObject {
  const rule = { apiGroups: ["rollcall.dev"], apiVersions: ["*"], operations: ["CREATE"], resources: ["clusters"] };
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: `no-${name}` },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: `object.metadata.name != "${name}"`, message: `no cluster is called ${name} here` }],
    },
  };
}

function bindingOf(policyName: string): KubeObject {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: policyName },
    spec: { policyName, validationActions: ["Deny"] },
  };
}
