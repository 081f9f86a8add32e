import { describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import { readTrustedKubeconfig } from "../../../src/kube/read-trusted-kubeconfig.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { realClock } from "../../support/real-time.ts";
import { manager, podOf, soon } from "./node-session.ts";
import type { NodeSession } from "./node-session.ts";

/** What a container is given, and what its Pod reports of it. */
export function describeContainers(node: NodeSession): void {
  describe("a Node", () => {
    it("registers with capacity, a Ready condition and a Lease", async () => {
      const { api, nodeName } = node;
      const object = await api.get({ type: resourceTypes.node, name: nodeName });
      expect(object?.["status"]).toMatchObject({
        allocatable: { pods: "110", cpu: expect.stringMatching(/^\d+$/u) as string },
        nodeInfo: { operatingSystem: "linux", kubeletVersion: expect.stringMatching(/^v\d+\.\d+/u) as string },
        addresses: [
          { type: "InternalIP", address: "127.0.0.1" },
          { type: "Hostname", address: nodeName },
        ],
      });
      expect((object?.["status"] as { conditions: object[] }).conditions).toContainEqual(
        expect.objectContaining({ type: "Ready", status: "True", reason: "KubeletReady" }),
      );
      const lease = await api.get({ type: resourceTypes.lease, namespace: "kube-node-lease", name: nodeName });
      expect(lease).toMatchObject({ spec: { holderIdentity: nodeName, leaseDurationSeconds: 40 } });
    });
  });

  describe("a Pod", () => {
    it("is bound, started and Ready, with a status in the shape of a kubelet's", async () => {
      const namespace = await node.newNamespace();
      await node.createPod(namespace, {
        container: { env: [{ name: "HEALTH_PORT", value: "8080" }], ...probed("readinessProbe") },
      });
      const pod = await node.untilStatus(namespace, { phase: "Running", containerStatuses: [{ ready: true }] });
      expect(pod["spec"]).toMatchObject({ nodeName: node.nodeName });
      expect(pod["status"]).toMatchObject({
        phase: "Running",
        hostIP: "127.0.0.1",
        podIPs: [{ ip: "127.0.0.1" }],
        qosClass: "BestEffort",
        containerStatuses: [
          {
            name: "main",
            state: { running: {} },
            lastState: {},
            ready: true,
            started: true,
            restartCount: 0,
            image: "worker:1",
            containerID: expect.stringMatching(/^rollcall:\/\/[0-9a-f]{64}$/u) as string,
          },
        ],
      });
      const conditions = (pod["status"] as { conditions: { type: string; status: string }[] }).conditions;
      // A condition that was False had a reason.
      expect(conditions.filter((condition) => "reason" in condition || "message" in condition)).toEqual([]);
      expect(Object.fromEntries(conditions.map(({ type, status }) => [type, status]))).toEqual({
        PodReadyToStartContainers: "True",
        Initialized: "True",
        Ready: "True",
        ContainersReady: "True",
        PodScheduled: "True",
      });
    });

    it("is not Ready before its probe succeeds", async () => {
      const namespace = await node.newNamespace();
      const container = { env: [{ name: "HEALTH_PORT", value: "8080" }], ...probed("readinessProbe") };
      await node.createPod(namespace, { args: ["sick"], container });
      const pod = await node.untilStatus(namespace, {
        phase: "Running",
        containerStatuses: [{ ready: false, started: true }],
      });
      expect((pod["status"] as { conditions: object[] }).conditions).toContainEqual(
        expect.objectContaining({
          type: "Ready",
          status: "False",
          reason: "ContainersNotReady",
          message: "containers with unready status: [main]",
        }),
      );
    });

    it("is Ready as soon as another writer opens its readiness gate", async () => {
      const namespace = await node.newNamespace();
      await node.createPod(namespace, { spec: { readinessGates: [{ conditionType: "example.org/open" }] } });
      const conditions = (pod: KubeObject | undefined) => objectsAt(pod, "status", "conditions");
      const ready = async () => conditions(await node.pod(namespace)).find(({ type }) => type === "Ready")?.["status"];
      const pod = await node.untilStatus(namespace, { phase: "Running", containerStatuses: [{ ready: true }] });
      expect(await ready()).toBe("False");
      const gate = { type: "example.org/open", status: "True" };
      const ref = { type: resourceTypes.pod, namespace, name: "p" };
      const status = { conditions: [...conditions(pod), gate] };
      await node.api.mergePatch(ref, { status }, { ...manager, subresource: "status" });
      await expect.poll(ready, soon).toBe("True");
    });

    it("with a name of any length has its Events", async () => {
      const namespace = await node.newNamespace();
      const name = "p".repeat(253);
      const pod = podOf(namespace, { name });
      await node.api.create({ ...pod, metadata: { name, namespace } }, manager);
      const started = async () => {
        const { items } = await node.api.list(resourceTypes.event, { namespace });
        return items
          .filter((event) => textAt(event, "involvedObject", "name") === name)
          .map((event) => event["reason"]);
      };
      await expect.poll(started, soon).toEqual(expect.arrayContaining(["Scheduled", "Started"]));
    });

    it("gets its variables from values, fields, ConfigMaps and Secrets", async () => {
      const { api } = node;
      const namespace = await node.newNamespace();
      await api.create(
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace }, data: { a: "1", b: "2" } },
        manager,
      );
      const data = { s: Buffer.from("secret").toString("base64") };
      await api.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace }, data }, manager);
      await node.createPod(namespace, {
        args: ["$(B)", "$(NOPE)", "$$(B)"],
        container: {
          envFrom: [{ prefix: "C_", configMapRef: { name: "c" } }, { secretRef: { name: "none", optional: true } }],
          env: [
            { name: "B", valueFrom: { configMapKeyRef: { name: "c", key: "b" } } },
            { name: "S", valueFrom: { secretKeyRef: { name: "s", key: "s" } } },
            { name: "NONE", valueFrom: { secretKeyRef: { name: "s", key: "none", optional: true } } },
            { name: "TEXT", value: "$(B)-$(S)-$(NOPE)" },
            { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
            { name: "LABEL", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
            { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
            { name: "MEMORY", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } },
          ],
          resources: { limits: { memory: "64Mi" } },
        },
      });
      const env = await node.envOf(namespace);
      const { hostname, port } = new URL(api.server);
      expect(env).toMatchObject({
        FROM_IMAGE: "yes",
        C_a: "1",
        C_b: "2",
        B: "2",
        S: "secret",
        TEXT: "2-secret-$(NOPE)",
        POD: "p",
        LABEL: "p",
        NODE: node.nodeName,
        MEMORY: "64",
        HOSTNAME: "p",
        KUBERNETES_SERVICE_HOST: hostname,
        KUBERNETES_SERVICE_PORT: port,
      });
      expect(env).not.toHaveProperty("NONE");
      expect(env).not.toHaveProperty("PATH");
      expect(await node.log({ namespace })).toContain('args ["2","$(NOPE)","$(B)"]');
    });

    it("runs a program by its name in the image, with a kubeconfig of its own account where it reads one", async () => {
      const namespace = await node.newNamespace();
      const container = { image: "worker-foreign:1", command: ["foreign", "--first"], args: ["--second"] };
      await node.createPod(namespace, { container });
      const { KUBECONFIG: path = "" } = await node.envOf(namespace);
      expect(await node.log({ namespace })).toContain('args ["--first","--second"]');
      const { server, getTls, getToken } = await readTrustedKubeconfig(path, {
        clock: realClock,
        environment: process.env,
      });
      expect(server).toBe(node.api.server);
      expect((await getTls()).caPem).toContain("BEGIN CERTIFICATE");
      const podApi = node.apiAs((await getToken?.()) ?? "");
      const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview", metadata: { name: "" } };
      expect(await podApi.create(review, manager)).toMatchObject({
        status: { userInfo: { username: `system:serviceaccount:${namespace}:default` } },
      });
      await node.createPod(namespace, { name: "other", container: { ...container, command: ["other"] } });
      await node.untilStatus(
        namespace,
        { containerStatuses: [{ ready: false, state: { waiting: { reason: "CreateContainerError" } } }] },
        "other",
      );
    });

    it("waits for a ConfigMap that its variables need", async () => {
      const namespace = await node.newNamespace();
      const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "late", key: "a" } } }];
      await node.createPod(namespace, { container: { env } });
      await node.untilStatus(namespace, {
        phase: "Pending",
        containerStatuses: [
          { state: { waiting: { reason: "CreateContainerConfigError", message: 'configmap "late" not found' } } },
        ],
      });
      await node.api.create(
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "late", namespace }, data: { a: "here" } },
        manager,
      );
      await node.untilStatus(namespace, { phase: "Running" });
      expect(await node.envOf(namespace)).toMatchObject({ A: "here" });
    });

    it("stays in ImagePullBackOff when no program is mapped to its image", async () => {
      const namespace = await node.newNamespace();
      await node.createPod(namespace, { container: { image: "stranger:2" } });
      await node.untilStatus(namespace, {
        phase: "Pending",
        containerStatuses: [{ image: "stranger:2", state: { waiting: { reason: "ImagePullBackOff" } } }],
      });
    });

    it("runs init containers one after the other before its own", async () => {
      const namespace = await node.newNamespace();
      const init = (name: string, ...args: string[]) => ({ name, image: "worker:1", args });
      const initContainers = [init("first", "exit=0"), init("second", "exit=0")];
      await node.createPod(namespace, { spec: { initContainers } });
      await node.untilStatus(namespace, {
        phase: "Running",
        initContainerStatuses: [
          { name: "first", state: { terminated: { exitCode: 0, reason: "Completed" } } },
          { name: "second", state: { terminated: { exitCode: 0, reason: "Completed" } } },
        ],
      });
    });

    it("waits for a node that takes it, and reports what it waits for", async () => {
      const namespace = await node.newNamespace();
      const ref = { type: resourceTypes.node, name: node.nodeName };
      await node.api.mergePatch(ref, { spec: { unschedulable: true } }, manager);
      try {
        await node.createPod(namespace, {});
        await node.untilStatus(namespace, {
          phase: "Pending",
          conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }],
        });
        const condition = ((await node.pod(namespace))?.["status"] as { conditions: { message: string }[] })
          .conditions[0];
        expect(condition?.message).toMatch(/^0\/1 nodes are available: 1 node\(s\) were unschedulable\. /u);
      } finally {
        await node.api.mergePatch(ref, { spec: { unschedulable: null } }, manager);
      }
      await node.untilStatus(namespace, { phase: "Running" });
    });

    it("that cannot run here is left for another node", async () => {
      const namespace = await node.newNamespace();
      await node.createPod(namespace, { spec: { nodeSelector: { "example.com/disk": "fast" } } });
      const events = () => node.api.list(resourceTypes.event, { namespace });
      await node.until(async () => (await events()).items.some((event) => event["reason"] === "FailedScheduling"));
      expect((await node.pod(namespace))?.["spec"]).not.toHaveProperty("nodeName");
    });
  });
}

export function probed(kind: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ports: [{ name: "health", containerPort: 8080 }],
    [kind]: { httpGet: { path: "/", port: "health" }, periodSeconds: 1, failureThreshold: 1, ...more },
  };
}
