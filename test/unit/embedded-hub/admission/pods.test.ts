import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { objectAt, objectsAt, textAt } from "../../../../src/core/read-json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, configMap, contextOf, refusalOf, startHubWorld } from "../controllers/hub-world.ts";

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

function pod(name: string, spec: JsonObject = {}): KubeObject {
  const containers = [{ name: "main", image: "shop:1" }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "shop" }, spec: { containers, ...spec } };
}

function account(name: string, more: JsonObject = {}): KubeObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: "shop" }, ...more };
}

function priorityClass(name: string, value: number, more: JsonObject = {}): KubeObject {
  return { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name }, value, ...more };
}

describe("a new Pod's account", () => {
  it("is mounted into every container, as kube-apiserver does it", async () => {
    const { create } = await startHubWorld();
    const made = await create(pod("p", { initContainers: [{ name: "first", image: "shop:1" }] }));
    expect(textAt(made, "spec", "serviceAccountName")).toBe("default");
    const [volume] = objectsAt(made, "spec", "volumes");
    const name = textAt(volume, "name");
    expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/u);
    expect(volume?.["projected"]).toEqual({
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
    });
    for (const container of [...objectsAt(made, "spec", "containers"), ...objectsAt(made, "spec", "initContainers")]) {
      expect(container["volumeMounts"]).toEqual([{ name, readOnly: true, mountPath }]);
    }
  });

  it("is not mounted when the Pod or the account forbids it; the Pod's value wins", async () => {
    const { create } = await startHubWorld();
    await create(account("quiet", { automountServiceAccountToken: false }));
    const volumesOf = async (name: string, spec: JsonObject) =>
      objectsAt(await create(pod(name, spec)), "spec", "volumes").length;
    expect(await volumesOf("a", { automountServiceAccountToken: false })).toBe(0);
    expect(await volumesOf("b", { serviceAccountName: "quiet" })).toBe(0);
    expect(await volumesOf("c", { serviceAccountName: "quiet", automountServiceAccountToken: true })).toBe(1);
  });

  it("leaves what a container mounts there itself, and the Pod's own pull secrets", async () => {
    const { create } = await startHubWorld();
    await create(account("puller", { imagePullSecrets: [{ name: "registry" }] }));
    const volumes = [{ name: "mine", emptyDir: {} }];
    const containers = [{ name: "main", image: "shop:1", volumeMounts: [{ name: "mine", mountPath }] }];
    const own = await create(pod("own", { serviceAccountName: "puller", volumes, containers }));
    expect(objectsAt(own, "spec", "volumes")).toHaveLength(1);
    expect(objectsAt(own, "spec", "imagePullSecrets")).toEqual([{ name: "registry" }]);
    const other = await create(
      pod("other", { serviceAccountName: "puller", imagePullSecrets: [{ name: "more" }], volumes, containers }),
    );
    expect(objectsAt(other, "spec", "imagePullSecrets")).toEqual([{ name: "more" }]);
  });

  it("must be there", async () => {
    const { create } = await startHubWorld();
    expect(await refusalOf(create(pod("p", { serviceAccountName: "nobody" })))).toBe(
      'pods "p" is forbidden: error looking up service account shop/nobody: serviceaccount "nobody" not found',
    );
  });
});

describe("a Pod that mirrors a static one", () => {
  const secretVolume = { name: "v", secret: { secretName: "s" } };
  const projected = (source: JsonObject): JsonObject => ({ name: "v", projected: { sources: [source] } });
  const container = { name: "main", image: "shop:1" };
  const reading = { ...container, envFrom: [{ secretRef: { name: "s" } }] };
  const token = { serviceAccountToken: { path: "token" } };
  const [accounts, secrets, tokens] = [
    "reference service accounts",
    "reference secrets",
    "use ServiceAccountToken volume projections",
  ];

  it.each<readonly [string, JsonObject, string | undefined]>([
    ["nothing of it", {}, undefined],
    ["a ConfigMap", { volumes: [projected({ configMap: { name: "c" } })] }, undefined],
    ["an account", { serviceAccountName: "default" }, accounts],
    ["a Secret as a volume", { volumes: [secretVolume] }, secrets],
    ["a Secret in a volume", { volumes: [projected({ secret: { name: "s" } })] }, secrets],
    ["a Secret in the environment", { containers: [reading] }, secrets],
    ["a Secret in that of an init container", { initContainers: [{ ...reading, name: "init" }] }, secrets],
    ["a Secret to pull by", { imagePullSecrets: [{ name: "s" }] }, secrets],
    ["a token of an account", { volumes: [projected(token)] }, tokens],
  ])("gets no account, and is refused one that it names itself: %s", async (_what, spec, refused) => {
    const { create } = await startHubWorld();
    const { metadata, ...rest } = pod("p", { nodeName: "n", ...spec });
    const annotations = { "kubernetes.io/config.mirror": "hash" };
    const work = create({ ...rest, metadata: { ...metadata, annotations } });
    expect(await refusalOf(work)).toBe(refused && `pods "p" is forbidden: a mirror pod may not ${refused}`);
    if (refused === undefined) expect(objectAt(await work, "spec")).not.toHaveProperty("serviceAccountName");
  });
});

describe("a new Pod's tolerations", () => {
  it("outlast a node that is away for five minutes, unless the Pod declares otherwise", async () => {
    const { create } = await startHubWorld();
    const plain = await create(pod("plain"));
    const fiveMinutes = { operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 };
    expect(objectsAt(plain, "spec", "tolerations")).toEqual([
      { key: "node.kubernetes.io/not-ready", ...fiveMinutes },
      { key: "node.kubernetes.io/unreachable", ...fiveMinutes },
    ]);
    const own = { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 };
    const chosen = await create(pod("chosen", { tolerations: [own] }));
    expect(objectsAt(chosen, "spec", "tolerations")).toEqual([
      own,
      { key: "node.kubernetes.io/unreachable", ...fiveMinutes },
    ]);
    const all = await create(pod("all", { tolerations: [{ operator: "Exists" }] }));
    expect(objectsAt(all, "spec", "tolerations")).toEqual([{ operator: "Exists" }]);
    // It keeps no Pod on a node.
    const scheduled = { operator: "Exists", effect: "NoSchedule" };
    const some = await create(pod("some", { tolerations: [scheduled] }));
    expect(objectsAt(some, "spec", "tolerations")).toHaveLength(3);
  });
});

it("a Pod that is replaced without its priority or its default tolerations keeps them", async () => {
  const { create, operations } = await startHubWorld();
  await create(priorityClass("high", 1000, { preemptionPolicy: "Never" }));
  const { metadata, spec, ...live } = await create(pod("p", { priorityClassName: "high" }));
  const { priority: _priority, preemptionPolicy: _policy, tolerations, ...rest } = objectAt({ spec }, "spec") ?? {};
  const definition = operations.definitionOf("", "pods");
  if (definition === undefined) throw new Error("Pods are not served");
  const target = { definition, namespace: "shop", name: "p" };
  const labelled = { ...live, metadata: { ...metadata, labels: { a: "b" } }, spec: rest };
  const changed = await operations.update(contextOf(administrator), target, labelled);
  expect(objectAt(changed, "spec")).toMatchObject({ priority: 1000, preemptionPolicy: "Never", tolerations });
});

describe("a new Pod's priority", () => {
  it("is that of its class, or of the default class, or 0", async () => {
    const { create } = await startHubWorld();
    expect(objectAt(await create(pod("none")), "spec")).toMatchObject({
      priority: 0,
      preemptionPolicy: "PreemptLowerPriority",
    });
    await create(priorityClass("high", 1000, { preemptionPolicy: "Never" }));
    await create(priorityClass("other", 8, { globalDefault: true }));
    await create(priorityClass("usual", 7, { globalDefault: true }));
    const usual = await create(pod("usual"));
    expect(objectAt(usual, "spec")).toMatchObject({ priorityClassName: "usual", priority: 7 });
    const high = await create(pod("high", { priorityClassName: "high" }));
    expect(objectAt(high, "spec")).toMatchObject({ priority: 1000, preemptionPolicy: "Never" });
  });

  it("is no number that the Pod makes up", async () => {
    const { create } = await startHubWorld();
    expect(await refusalOf(create(pod("p", { priority: 9 })))).toBe(
      'pods "p" is forbidden: the integer value of priority (9) must not be provided in pod spec; ' +
        "priority admission controller computed 0 from the given PriorityClass name",
    );
    expect(await refusalOf(create(pod("p", { priorityClassName: "nope" })))).toBe(
      'pods "p" is forbidden: no PriorityClass with name nope was found',
    );
  });
});

describe("a new Pod's runtime class", () => {
  it("is refused when it is not there, as kube-apiserver does it", async () => {
    const { create } = await startHubWorld();
    expect(await refusalOf(create(pod("p", { runtimeClassName: "gvisor" })))).toBe(
      'pods "p" is forbidden: pod rejected: RuntimeClass "gvisor" not found',
    );
  });

  it("is missing when the Pod names an overhead, as kube-apiserver does it", async () => {
    const { create } = await startHubWorld();
    expect(await refusalOf(create(pod("p", { overhead: { cpu: "1" } })))).toBe(
      'pods "p" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    );
  });
});

describe("the namespace of a write", () => {
  it("must exist", async () => {
    const { operations, create } = await startHubWorld();
    expect(await refusalOf(create(configMap("a", { namespace: "nowhere" })))).toBe('namespaces "nowhere" not found');
    const definition = operations.definitionOf("", "configmaps");
    if (definition === undefined) throw new Error("ConfigMaps are not served");
    const target = { definition, namespace: "nowhere", name: "a" };
    expect(await refusalOf(operations.delete(contextOf(administrator), target, {}))).toBe('configmaps "a" not found');
  });
});
