import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAppError } from "../../src/core/errors.ts";
import { objectAt, objectsAt, textAt } from "../../src/core/read-json.ts";
import { createKubeApi } from "../../src/kube/kube-api.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { createUndiciTransport } from "../../src/kube/undici-transport.ts";
import type { KubeObject, ResourceType } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { DaemonPlane } from "../support/daemon-plane.ts";
import { daemonNamespace, fileOf, planeWorkspace as workspace, startDaemonPlane } from "../support/daemon-plane.ts";
import { realClock, realRandom } from "../support/real-time.ts";
import type { RunningProgram } from "../support/run-program.ts";

const { cluster, configMap, repository } = resourceTypes;
const fleet = { type: repository, namespace: daemonNamespace, name: "fleet" };
const webhook: ResourceType = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
  isNamespaced: false,
};

describe("a daemon on a hub whose webhook or storage fails", () => {
  let session: DaemonPlane;
  let api: KubeApi;
  let daemon: RunningProgram;

  beforeAll(async () => {
    session = await startDaemonPlane({ storageBytes: 48 << 20 });
    api = createKubeApi({
      transport: createUndiciTransport(readKubeconfig(session.plane.kubeconfig)),
      clock: realClock,
      random: realRandom,
      types: [webhook],
    });
    await session.repository.commit({ files: { "one.yaml": fileOf("Cluster", "one", {}) } });
    daemon = await session.startDaemon();
    await untilThere("one");
  });
  afterAll(async () => {
    await api?.close();
    await session?.close();
  });

  it("names the object whose admission webhook does not answer, applies the rest, and continues when that is mended", async () => {
    await api.create(deadWebhookFor("guarded"), { fieldManager: "test" });
    await untilRefused("guarded");
    await session.repository.commit({
      files: { "guarded.yaml": fileOf("Cluster", "guarded", {}), "free.yaml": fileOf("Cluster", "free", {}) },
    });
    await untilThere("free");
    await untilApplied("False", /Cluster\/fleet\/guarded: .*failed calling webhook/u);
    expect(await session.admin.get({ type: cluster, namespace: workspace, name: "guarded" })).toBeUndefined();
    await api.delete({ type: webhook, name: "dead" });
    await untilThere("guarded");
    await untilApplied("True");
  });

  it("outlasts a full etcd: it removes nothing, and applies what waited when there is room again", async () => {
    const before = await uids();
    const filler = await fillStorage();
    await session.repository.commit({ files: { "one.yaml": fileOf("Cluster", "one", {}, { wave: "full" }) } });
    await daemon.untilLine((line) => line.includes("database space exceeded"));
    expect(daemon.child.exitCode).toBeNull();
    expect(await uids()).toEqual(before);
    await makeRoom(filler);
    await session.until(
      { type: cluster, namespace: workspace, name: "one" },
      (object) => object?.metadata.labels?.["wave"] === "full",
    );
    await untilApplied("True");
    expect(await uids()).toEqual(before);
    expect(
      (await session.calls()).filter(({ verb, resource }) => verb === "delete" && resource === "clusters"),
    ).toEqual([]);
  });

  async function untilThere(name: string): Promise<void> {
    await session.until({ type: cluster, namespace: workspace, name }, (object) => object !== undefined);
  }

  async function untilApplied(status: "True" | "False", message = /./u): Promise<void> {
    const head = (await session.repository.git("rev-parse", "main")).trim();
    await session.until(fleet, (object) => {
      const condition = objectsAt(object, "status", "conditions").find(({ type }) => type === "Applied");
      const isHead = textAt(object, "status", "observedCommit") === head;
      return isHead && condition?.["status"] === status && message.test(textAt(condition, "message") ?? "");
    });
  }

  /** A webhook is asked a moment after it was made. */
  async function untilRefused(name: string): Promise<void> {
    const object = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name, namespace: workspace } };
    for (;;) {
      try {
        await session.admin.create(object, { fieldManager: "test", isDryRun: true });
      } catch {
        return; // that is what was waited for
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async function uids(): Promise<(string | undefined)[]> {
    return (await session.admin.list(cluster, { namespace: workspace })).items.map(({ metadata }) => metadata.uid);
  }

  /** Writes until etcd takes no more; resolves with what was written. */
  async function fillStorage(): Promise<readonly string[]> {
    const names: string[] = [];
    const data = { filler: "x".repeat(900_000) };
    for (;;) {
      const name = `filler-${names.length}`;
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data };
      try {
        await session.admin.create(object, { fieldManager: "test" });
      } catch (error) {
        if (isAppError(error, "E_KUBE_SERVER")) return names;
        throw error;
      }
      names.push(name);
    }
  }

  /** What an administrator does: delete, compact, defragment, and take the alarm away. */
  async function makeRoom(names: readonly string[]): Promise<void> {
    for (const name of names) await session.admin.delete({ type: configMap, namespace: "default", name });
    const status = await askEtcd("/v3/maintenance/status", {});
    await askEtcd("/v3/kv/compaction", { revision: textAt(objectAt(status, "header"), "revision"), physical: true });
    await askEtcd("/v3/maintenance/defragment", {});
    const { alarms } = objectAt(await askEtcd("/v3/maintenance/alarm", { action: "GET" })) ?? {};
    for (const alarm of objectsAt({ alarms }, "alarms"))
      await askEtcd("/v3/maintenance/alarm", { ...alarm, action: "DEACTIVATE" });
  }

  async function askEtcd(path: string, body: object): Promise<unknown> {
    const answer = await fetch(session.plane.etcdUrl + path, { method: "POST", body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`etcd ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }
});

/** No process listens at its address; it guards one cluster. */
function deadWebhookFor(name: string): KubeObject {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "dead" },
    webhooks: [
      {
        name: "dead.example.com",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Fail",
        timeoutSeconds: 1,
        clientConfig: { url: "https://127.0.0.1:1/" },
        rules: [{ apiGroups: ["rollcall.dev"], apiVersions: ["*"], operations: ["CREATE"], resources: ["clusters"] }],
        matchConditions: [{ name: "one", expression: `object.metadata.name == "${name}"` }],
      },
    ],
  };
}
