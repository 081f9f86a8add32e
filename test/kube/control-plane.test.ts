import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createKubeApi } from "../../src/kube/kube-api.ts";
import { startKubeCache } from "../../src/kube/kube-cache.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { createUndiciTransport } from "../../src/kube/undici-transport.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { startControlPlane } from "../support/control-plane.ts";
import { realClock, realRandom } from "../support/real-time.ts";
import { sharedControlPlane } from "../support/shared-control-plane.ts";

function kubectl(kubeconfigPath: string, ...args: string[]): string {
  const program = join(process.env["KUBEBUILDER_ASSETS"] ?? "", "kubectl");
  return execFileSync(program, ["--kubeconfig", kubeconfigPath, ...args], { encoding: "utf8" });
}

describe("startKubeCache", () => {
  it("outlasts a killed API server, reports since when it fails, and delivers all that it missed", async () => {
    const { kubeconfig, killApiServer, startApiServer, stop } = await startControlPlane();
    const transport = createUndiciTransport(readKubeconfig(kubeconfig));
    const api = createKubeApi({ transport, clock: realClock, random: realRandom });
    const create = (name: string) =>
      api.create(
        { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name } },
        { fieldManager: "t" },
      );
    const changes: string[] = [];
    const onChange = ({ ref }: { ref: { name: string } }) => changes.push(ref.name);
    const options = { namespace: "default", onChange };
    const cache = startKubeCache(api, resourceTypes.configMap, options, { clock: realClock, random: realRandom });
    try {
      await cache.whenSynced();
      await create("before");
      await expect.poll(() => changes).toContain("before");
      const startedMs = Date.now();
      await killApiServer();
      await expect.poll(() => cache.failingSinceMs).toBeGreaterThanOrEqual(startedMs);
      expect(cache.get("default", "before")).toBeDefined();
      await startApiServer();
      await create("after");
      await expect.poll(() => changes).toContain("after");
      expect(cache.failingSinceMs).toBeUndefined();
      expect(changes.filter((name) => name === "before")).toHaveLength(1);
    } finally {
      await cache.stop();
      await api.close();
      await stop();
    }
  });
});

describe("startControlPlane", () => {
  it("survives an outage of the API server, writes the audit log, and leaves nothing behind", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rollcall-audit-"));
    const auditLogPath = join(folder, "audit.log");
    const { kubeconfigPath, killApiServer, startApiServer, stop } = await startControlPlane({ auditLogPath });
    expect(kubectl(kubeconfigPath, "create", "namespace", "kept")).toContain("namespace/kept created");
    await killApiServer();
    await startApiServer();
    expect(kubectl(kubeconfigPath, "get", "namespace", "kept", "-o", "name").trim()).toBe("namespace/kept");
    await stop();
    expect(existsSync(kubeconfigPath)).toBe(false);
    expect(readFileSync(auditLogPath, "utf8")).toContain('"verb":"create","user":{"username":"admin"');
    await rm(folder, { recursive: true });
  });
});

describe("sharedControlPlane", () => {
  it("is one control plane for the whole run", () => {
    const { kubeconfigPath, server } = sharedControlPlane();
    expect(kubectl(kubeconfigPath, "cluster-info")).toContain(server);
  });
});
