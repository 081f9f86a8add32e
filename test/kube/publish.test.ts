import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { apiVersionOf } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { readConditions } from "../../src/planning/conditions.ts";
import type { DaemonPlane } from "../support/daemon-plane.ts";
import { daemonNamespace, fileOf, planeWorkspace as workspace, startDaemonPlane } from "../support/daemon-plane.ts";
import { publishingRights, readDaemonRights } from "../support/daemon-rights.ts";
import { toolDefinitions } from "../support/tool-definitions.ts";

const { clusterProfile, secret, customResourceDefinition, argoApplication, fluxKustomization } = resourceTypes;
const cluster = { type: resourceTypes.cluster, namespace: workspace, name: "eu-1" };
const application = { type: argoApplication, namespace: "argocd", name: "shop" };
const kustomization = { type: fluxKustomization, namespace: "flux-system", name: "shop" };
const profile = { type: clusterProfile, namespace: workspace, name: "eu-1" };
const argo = { type: secret, namespace: "argocd", name: "cluster-fleet-eu-1" };
const flux = { type: secret, namespace: "flux-system", name: "fleet-eu-1-kubeconfig" };

describe("what is published of a Cluster on a real kube-apiserver", () => {
  let session: DaemonPlane;

  beforeAll(async () => {
    session = await startDaemonPlane();
    for (const made of [profileDefinition, ...toolDefinitions]) {
      await session.create(made);
      await session.until({ type: customResourceDefinition, name: made.metadata.name }, (object) =>
        objectsAt(object, "status", "conditions").some(
          ({ type, status }) => type === "Established" && status === "True",
        ),
      );
    }
    for (const name of ["argocd", "flux-system"]) {
      await session.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    const where = { workspaces: [workspace], secretNamespaces: ["argocd", "flux-system"] };
    for (const object of publishingRights(daemonNamespace, where)) await session.create(object);
    await session.create(secretOf(workspace, "eu-1-kubeconfig", { value: session.plane.kubeconfig }));
    await session.create(secretOf("argocd", "cluster-of-others", { name: "theirs" }));
    await session.repository.commit({
      files: { "eu-1.yaml": clusterFile("prod"), "us-1.yaml": fileOf("Cluster", "us-1", {}) },
    });
    await session.startDaemon({
      args: ["--publish-cluster-profiles", "--publish-argocd", "argocd", "--publish-flux", "flux-system"].concat([
        "--publish-removal-timeout",
        "5m",
      ]),
    });
  });
  afterAll(async () => session.close());

  it("is a ClusterProfile, a cluster Secret of Argo CD and a kubeconfig Secret of Flux", async () => {
    const made = await session.until(profile, (object) => objectsAt(object, "status", "conditions").length > 0);
    expect(made?.["spec"]).toEqual({ displayName: "Europe", clusterManager: { name: "rollcall" } });
    expect(made?.metadata.labels).toMatchObject({ env: "prod", "x-k8s.io/cluster-manager": "rollcall" });
    expect(objectsAt(made, "status", "conditions")[0]).toMatchObject({
      type: "ControlPlaneHealthy",
      status: "Unknown",
    });
    const argoSecret = await session.until(argo, (object) => object !== undefined);
    expect(argoSecret?.metadata.labels).toMatchObject({ env: "prod", "argocd.argoproj.io/secret-type": "cluster" });
    expect(decoded(argoSecret, "name")).toBe("fleet-eu-1");
    expect(decoded(argoSecret, "server")).toBe(session.plane.server);
    const { tlsClientConfig } = JSON.parse(decoded(argoSecret, "config")) as {
      tlsClientConfig: Record<string, string>;
    };
    expect(Buffer.from(tlsClientConfig["caData"] ?? "", "base64").toString()).toBe(session.plane.caPem);
    expect(Object.keys(tlsClientConfig).sort()).toEqual(["caData", "certData", "insecure", "keyData"]);
    const fluxSecret = await session.until(flux, (object) => object !== undefined);
    const forFlux = readKubeconfig(decoded(fluxSecret, "value"));
    expect(forFlux.server).toBe(session.plane.server);
    expect(await forFlux.getTls()).toEqual(await readKubeconfig(session.plane.kubeconfig).getTls());
  });

  it("is there without Secrets for a Cluster that names no kubeconfig", async () => {
    await session.until({ ...profile, name: "us-1" }, (object) => object !== undefined);
    const { items } = await session.admin.list(secret, { namespace: "argocd" });
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(["cluster-fleet-eu-1", "cluster-of-others"]);
  });

  it("follows labels and the kubeconfig, and is created again when it is deleted", async () => {
    await session.repository.commit({ files: { "eu-1.yaml": clusterFile("test") } });
    for (const ref of [profile, argo, flux]) {
      await session.until(ref, (object) => object?.metadata.labels?.["env"] === "test");
    }
    const moved = session.plane.kubeconfig.replace(/server: .*/u, "server: https://elsewhere.example:6443");
    const patch = { data: { value: Buffer.from(moved).toString("base64") } };
    const named = { type: secret, namespace: workspace, name: "eu-1-kubeconfig" };
    await session.admin.mergePatch(named, patch, { fieldManager: "test" });
    await session.until(argo, (object) => decoded(object, "server") === "https://elsewhere.example:6443");
    const before = (await session.admin.get(argo))?.metadata.uid;
    await session.admin.delete(argo);
    await session.until(argo, (object) => object !== undefined && object.metadata.uid !== before);
  });

  it("stays when the Cluster leaves, as long as an Application and a Kustomization use it", async () => {
    const destination = { name: "fleet-eu-1" };
    const users = [
      { ref: application, spec: { destination } },
      { ref: kustomization, spec: { kubeConfig: { secretRef: { name: flux.name } } } },
    ];
    for (const { ref, spec } of users) {
      const { type, ...metadata } = ref;
      await session.create({ apiVersion: apiVersionOf(type), kind: type.kind, metadata, spec });
    }
    const message = "Leave\n\nRollcall-Allow-Deletions: 9\n";
    await session.repository.commit({ files: { "eu-1.yaml": null }, message });
    const seen = await session.until(cluster, (object) =>
      readConditions(object).some(({ reason }) => reason === "PublishedInUse"),
    );
    const { message: told } = readConditions(seen).find(({ type }) => type === "Published") ?? {};
    expect(told).toContain("Application.argoproj.io/argocd/shop");
    expect(told).toContain("Kustomization.kustomize.toolkit.fluxcd.io/flux-system/shop");
    for (const ref of [argo, flux]) expect(await session.admin.get(ref)).toBeDefined();
    for (const { ref } of users) await session.admin.delete(ref);
  });

  it("is removed with the Cluster then; what others made stays", async () => {
    for (const ref of [profile, argo, flux]) await session.until(ref, (object) => object === undefined);
    expect(await session.admin.get({ ...argo, name: "cluster-of-others" })).toBeDefined();
    expect(await session.admin.get({ ...profile, name: "us-1" })).toBeDefined();
  });

  it("took every right of the table, and none that is not there", async () => {
    const calls = await session.calls();
    expect(calls.filter(({ status }) => status === 403).map(({ path }) => path)).toEqual([]);
    const isIn = (scope: string, namespace: string | undefined) =>
      scope === "publish" ? namespace === "argocd" || namespace === "flux-system" : true;
    const rights = readDaemonRights();
    const unused = (["profileReading", "profiles", "publish", "argocdUsers", "fluxUsers"] as const).flatMap((scope) =>
      rights[scope].flatMap(({ resources, verbs }) =>
        resources.flatMap((resource) =>
          verbs
            .filter((verb) => {
              const isCall = (call: (typeof calls)[number]) =>
                call.resource === resource && isIn(scope, call.namespace);
              return !calls.some((call) => isCall(call) && (call.verb === verb || isMaking(call, verb)));
            })
            .map((verb) => `${scope}: ${verb} ${resource}`),
        ),
      ),
    );
    expect(unused).toEqual([]);
  });
});

/** An apply is a patch, and a create where it made the object. */
function isMaking({ verb, status }: { readonly verb: string; readonly status: number }, wanted: string): boolean {
  return wanted === "create" && verb === "patch" && status === 201;
}

function clusterFile(env: string): string {
  return fileOf(
    "Cluster",
    "eu-1",
    { displayName: "Europe", kubeConfigSecretRef: { name: "eu-1-kubeconfig" } },
    { env },
  );
}

function secretOf(namespace: string, name: string, values: Readonly<Record<string, string>>): KubeObject {
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace, name }, data };
}

function decoded(object: KubeObject | undefined, key: string): string {
  return Buffer.from(textAt(object, "data", key) ?? "", "base64").toString("utf8");
}

/** The parts of the real definition that matter here: which fields there are, and which are needed. */
const profileDefinition: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: {
    name: "clusterprofiles.multicluster.x-k8s.io",
    annotations: { "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/cluster-inventory-api" },
  },
  spec: {
    group: "multicluster.x-k8s.io",
    names: {
      kind: "ClusterProfile",
      listKind: "ClusterProfileList",
      plural: "clusterprofiles",
      singular: "clusterprofile",
    },
    scope: "Namespaced",
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                required: ["clusterManager"],
                properties: {
                  displayName: { type: "string" },
                  clusterManager: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
                },
              },
              status: {
                type: "object",
                properties: {
                  version: { type: "object", properties: { kubernetes: { type: "string" } } },
                  properties: {
                    type: "array",
                    items: { type: "object", properties: { name: { type: "string" }, value: { type: "string" } } },
                  },
                  conditions: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                    items: {
                      type: "object",
                      required: ["type", "status", "lastTransitionTime", "reason", "message"],
                      properties: {
                        type: { type: "string" },
                        status: { type: "string" },
                        observedGeneration: { type: "integer" },
                        lastTransitionTime: { type: "string", format: "date-time" },
                        reason: { type: "string" },
                        message: { type: "string" },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};
