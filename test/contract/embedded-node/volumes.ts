import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { manager, soon } from "./node-session.ts";
import type { NodeSession } from "./node-session.ts";

/** Volumes as folders of the host. */
export function describeVolumes(node: NodeSession): void {
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

  describe("a volume", () => {
    it("of the service account has a token that is the Pod's and dies with it", async () => {
      const namespace = await node.newNamespace();
      await node.createPod(namespace, {});
      const { ROLLCALL_SERVICE_ACCOUNT_DIR: folder = "" } = await node.envOf(namespace);
      expect(await readFile(join(folder, "namespace"), "utf8")).toBe(namespace);
      expect(await readFile(join(folder, "ca.crt"), "utf8")).toContain("BEGIN CERTIFICATE");
      expect(await modeOf(join(folder, "token"))).toBe("600");
      expect(await modeOf(folder)).toBe("700");
      const podApi = node.apiAs(await readFile(join(folder, "token"), "utf8"));
      const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview", metadata: { name: "" } };
      const { uid } = (await node.pod(namespace))?.metadata ?? {};
      expect(await podApi.create(review, manager)).toMatchObject({
        status: {
          userInfo: {
            username: `system:serviceaccount:${namespace}:default`,
            extra: {
              "authentication.kubernetes.io/pod-name": ["p"],
              "authentication.kubernetes.io/pod-uid": [uid],
              "authentication.kubernetes.io/node-name": [node.nodeName],
            },
          },
        },
      });
      await node.api.delete({ type: resourceTypes.pod, namespace, name: "p" });
      await node.until(async () => (await node.pod(namespace)) === undefined);
      await expect
        .poll(
          () =>
            podApi.create(review, manager).then(
              () => "alive",
              (error: { code: string }) => error.code,
            ),
          soon,
        )
        .toBe("E_KUBE_UNAUTHORIZED");
      await expect
        .poll(
          () =>
            stat(folder).then(
              () => "there",
              () => "gone",
            ),
          soon,
        )
        .toBe("gone");
    });

    it("of a ConfigMap, a Secret, fields or nothing is a folder, and paths in arguments lead to it", async () => {
      const { api } = node;
      const namespace = await node.newNamespace();
      await api.create(
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace }, data: { a: "1", b: "2" } },
        manager,
      );
      const data = { key: Buffer.from("secret").toString("base64") };
      await api.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace }, data }, manager);
      await node.createPod(namespace, {
        args: ["/etc/c/deep/a", "/etc/cc", "--file=/etc/c"],
        container: {
          env: [{ name: "SECRET_FILE", value: "/etc/s/key" }],
          volumeMounts: [
            { name: "c", mountPath: "/etc/c" },
            { name: "s", mountPath: "/etc/s" },
            { name: "d", mountPath: "/etc/d" },
            { name: "e", mountPath: "/data" },
          ],
        },
        spec: {
          volumes: [
            { name: "c", configMap: { name: "c", items: [{ key: "a", path: "deep/a" }] } },
            { name: "s", secret: { secretName: "s" } },
            { name: "d", downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
            { name: "e", emptyDir: {} },
          ],
        },
      });
      const { SECRET_FILE: secretFile = "" } = await node.envOf(namespace);
      expect(await readFile(secretFile, "utf8")).toBe("secret");
      expect(await modeOf(secretFile)).toBe("600");
      const [, text = "[]"] = /^args (.*)$/mu.exec(await node.log({ namespace })) ?? [];
      const [first = "", ...others] = JSON.parse(text) as string[];
      expect(await readFile(first, "utf8")).toBe("1");
      expect(others).toEqual(["/etc/cc", "--file=/etc/c"]);
      const volumes = join(secretFile, "..", "..");
      expect(await readFile(join(volumes, "d", "labels"), "utf8")).toBe('app="p"');
      expect((await stat(join(volumes, "e"))).isDirectory()).toBe(true);
    });

    it("of a ConfigMap has the program of a probe where its mode makes it one", async () => {
      const namespace = await node.newNamespace();
      const data = { ready: "#!/bin/sh\nexit 0\n" };
      await node.api.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace }, data }, manager);
      await node.createPod(namespace, {
        container: {
          readinessProbe: { exec: { command: ["/scripts/ready"] }, periodSeconds: 1 },
          volumeMounts: [{ name: "c", mountPath: "/scripts" }],
        },
        spec: { volumes: [{ name: "c", configMap: { name: "c", defaultMode: 0o555 } }] },
      });
      await node.untilStatus(namespace, { containerStatuses: [{ ready: true }] });
    });

    it("that does not exist yet holds the Pod back, and an Event reports it", async () => {
      const namespace = await node.newNamespace();
      await node.createPod(namespace, {
        container: { volumeMounts: [{ name: "s", mountPath: "/etc/s" }] },
        spec: { volumes: [{ name: "s", secret: { secretName: "late" } }] },
      });
      const events = () => node.api.list(resourceTypes.event, { namespace });
      await node.until(async () =>
        (await events()).items.some(
          (event) => event["message"] === 'MountVolume.SetUp failed for volume "s" : secret "late" not found',
        ),
      );
      await node.untilStatus(namespace, { phase: "Pending" });
      await node.api.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "late", namespace } }, manager);
      await node.untilStatus(namespace, { phase: "Running" });
    });
  });
}
