import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { readConditions } from "../../../src/planning/conditions.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { toolDefinitions } from "../../support/tool-definitions.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const { secret, cluster: clusterType, argoApplication, fluxKustomization } = resourceTypes;
const manager = { fieldManager: "test" };
const approved = "Remove it\n\nRollcall-Allow-Deletions: 9\n";

describe("Secrets that are published for Argo CD and Flux", () => {
  let session: DaemonSession;
  const names = { argo: "", flux: "" };

  beforeAll(async () => {
    session = await openDaemonSession(await readyHub());
    for (const definition of toolDefinitions) await session.api.create(definition, manager);
    await until(
      () => Promise.all([argoApplication, fluxKustomization].map(isServed)),
      (served) => served.every(Boolean),
    );
    for (const name of ["argocd", "flux-system"])
      await session.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, manager);
    await session.api.create(kubeconfigSecret(session.workspace), manager);
    names.argo = `cluster-${session.workspace}-eu-1`;
    names.flux = `${session.workspace}-eu-1-kubeconfig`;
    await session.repository.commit({ files: { "eu-1.yaml": fileOf(true), "us-1.yaml": fileOf(false, "us-1") } });
    await session.startDaemon({
      publish: {
        targets: { clusterProfiles: false, argocd: "argocd", flux: "flux-system" },
        removal: { timeoutMs: 60_000, unselects: false },
      },
    });
    await session.settle();
    await untilSecret("argo", (object) => object !== undefined);
    await untilSecret("flux", (object) => object !== undefined);
  });
  afterAll(() => session.close());

  const isServed = (type: typeof argoApplication): Promise<boolean> =>
    session.api.list(type).then(
      () => true,
      () => false,
    );
  const untilSecret = (tool: "argo" | "flux", isMet: (object: KubeObject | undefined) => boolean) =>
    until(() => session.get(secret, names[tool], tool === "argo" ? "argocd" : "flux-system"), isMet);
  const published = (object: KubeObject | undefined) => readConditions(object).find(({ type }) => type === "Published");
  const readCluster = () => session.get(clusterType, "eu-1");
  const isMarked = (object: KubeObject | undefined): boolean =>
    object?.metadata.annotations?.["rollcall.dev/removing-since"] !== undefined;
  const use = async (): Promise<() => Promise<void>> => {
    const objects = [
      toolObject("argoproj.io/v1alpha1", "Application", "argocd", {
        destination: { name: `${session.workspace}-eu-1` },
      }),
      toolObject("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "flux-system", {
        kubeConfig: { secretRef: { name: names.flux } },
      }),
    ];
    for (const object of objects) await session.api.create(object, manager);
    return async () => {
      await session.api.delete(refOf(argoApplication, objects[0] as KubeObject));
      await session.api.delete(refOf(fluxKustomization, objects[1] as KubeObject));
    };
  };

  it("are named by the Cluster", async () => {
    const seen = await until(readCluster, (object) => published(object) !== undefined);
    expect(published(seen)).toMatchObject({ status: "True", reason: "Published" });
    expect(published(seen)?.message).toContain(`Secret/argocd/${names.argo}`);
  });

  it("stay when only the kubeconfig is taken out of the file, until nothing uses them", async () => {
    const stopUse = await use();
    await session.repository.commit({ files: { "eu-1.yaml": fileOf(false) } });
    await session.settle();
    const seen = await until(readCluster, (object) => published(object)?.reason === "PublishedInUse");
    expect(published(seen)?.message).toContain("Application.argoproj.io/argocd/shop");
    expect(published(seen)?.message).toContain("Kustomization.kustomize.toolkit.fluxcd.io/flux-system/shop");
    await session.repository.commit({ files: { "eu-1.yaml": fileOf(true) } });
    await session.settle();
    await untilSecret("argo", (object) => object !== undefined && !isMarked(object));
    await until(readCluster, (object) => published(object)?.status === "True");
    await session.repository.commit({ files: { "eu-1.yaml": fileOf(false) } });
    await session.settle();
    await untilSecret("flux", isMarked);
    await stopUse();
    await untilSecret("argo", (object) => object === undefined);
    await untilSecret("flux", (object) => object === undefined);
    await until(readCluster, (object) => published(object) === undefined);
    await session.repository.commit({ files: { "eu-1.yaml": fileOf(true) } });
    await session.settle();
    await untilSecret("argo", (object) => object !== undefined);
  });

  it("hold a leave up while something uses them, and the file may come back meanwhile", async () => {
    const stopUse = await use();
    await session.repository.commit({ files: { "eu-1.yaml": null }, message: approved });
    await session.settle();
    const seen = await until(readCluster, (object) => published(object)?.reason === "PublishedInUse");
    expect(textAt(seen, "status", "leave", "phase")).toBe("Waiting");
    await session.repository.commit({ files: { "eu-1.yaml": fileOf(true) } });
    await session.settle();
    await until(readCluster, (object) => published(object)?.status === "True");
    expect((await readCluster())?.metadata.uid).toBe(seen?.metadata.uid);
    await session.repository.commit({ files: { "eu-1.yaml": null }, message: approved });
    await session.settle();
    await untilSecret("argo", isMarked);
    await stopUse();
    await untilSecret("argo", (object) => object === undefined);
    await until(readCluster, (object) => object === undefined);
  });

  it("do not take over a Secret of that name which another program made", async () => {
    const metadata = { namespace: "argocd", name: `cluster-${session.workspace}-eu-2` };
    const data = { name: Buffer.from("theirs").toString("base64") };
    await session.api.create({ apiVersion: "v1", kind: "Secret", metadata, data }, manager);
    await session.repository.commit({ files: { "eu-2.yaml": fileOf(true, "eu-2") } });
    await session.settle();
    const seen = await until(
      () => session.get(clusterType, "eu-2"),
      (object) => published(object)?.reason === "PublishedNameTaken",
    );
    expect(published(seen)?.message).toContain(`Secret/argocd/${metadata.name}`);
    expect(await session.get(secret, metadata.name, "argocd")).toMatchObject({ data });
  });

  it("are deleted at once with a cluster that leaves and is revoked", async () => {
    await session.repository.commit({ files: { "eu-1.yaml": fileOf(true) } });
    await session.settle();
    await untilSecret("argo", (object) => object !== undefined);
    const stopUse = await use();
    await session.repository.commit({ files: { "eu-1.yaml": null }, message: approved });
    await session.settle();
    await untilSecret("argo", isMarked);
    const ref = { type: clusterType, namespace: session.workspace, name: "eu-1" };
    await session.api.mergePatch(ref, { metadata: { annotations: { "rollcall.dev/revoked": "-/a/b" } } }, manager);
    await untilSecret("argo", (object) => object === undefined);
    await until(readCluster, (object) => object === undefined);
    await stopUse();
  });
});

/** A cluster that cannot be reached, which is left as it is. */
function fileOf(hasKubeconfig: boolean, name = "eu-1"): string {
  const spec: Cluster["spec"] = {
    deletionPolicy: "Detach",
    ...(hasKubeconfig ? { kubeConfigSecretRef: { name: "eu-1-kubeconfig" } } : {}),
  };
  return JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name }, spec });
}

function kubeconfigSecret(namespace: string): KubeObject {
  const value = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "c", user: { token: "t" } }],
  });
  const data = { value: Buffer.from(value).toString("base64") };
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "eu-1-kubeconfig" }, data };
}

function toolObject(apiVersion: string, kind: string, namespace: string, spec: object): KubeObject {
  return { apiVersion, kind, metadata: { namespace, name: "shop" }, spec };
}
