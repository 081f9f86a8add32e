import { describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { configMap, configMapRef, manager, soon } from "./hub-session.ts";
import type { HubSession } from "./hub-session.ts";

const type = resourceTypes.namespace;

export function describeNamespaces(hub: HubSession): void {
  describe("namespaces", () => {
    it("are active, bear their name as a label, and get an account and the hub's CA", async () => {
      const name = await hub.newNamespace({ team: "x" });
      const namespace = await hub.admin.get({ type, name });
      expect(namespace).toMatchObject({
        metadata: { labels: { team: "x", "kubernetes.io/metadata.name": name } },
        status: { phase: "Active" },
      });
      const account = { type: resourceTypes.serviceAccount, namespace: name, name: "default" };
      await expect.poll(async () => (await hub.admin.get(account)) !== undefined, soon).toBe(true);
      const authority = configMapRef(name, "kube-root-ca.crt");
      const text = async () => textAt(await hub.admin.get(authority), "data", "ca.crt") ?? "";
      await expect.poll(text, soon).toContain("-----BEGIN CERTIFICATE-----");
    });

    it("exist from the start: default and kube-system, whose uid names the cluster", async () => {
      expect(await hub.admin.get({ type, name: "default" })).toBeDefined();
      const system = await hub.admin.get({ type, name: "kube-system" });
      expect(system?.metadata.uid).toMatch(/^[\da-f-]{36}$/u);
    });

    it("take what is in them along, and refuse new objects meanwhile as a conflict, not as a matter of rights", async () => {
      const name = await hub.newNamespace();
      const held = configMap(name, "held");
      held.metadata.finalizers = ["rollcall.dev/a"];
      await hub.admin.create(held, manager);
      await hub.admin.create(configMap(name, "free"), manager);
      await hub.admin.delete({ type, name });
      const phase = async () => textAt(await hub.admin.get({ type, name }), "status", "phase");
      expect(await phase()).toBe("Terminating");
      const late = hub.admin.create(configMap(name, "late"), manager);
      await expect(late).rejects.toMatchObject({ code: "E_KUBE_CONFLICT", data: { cause: "NamespaceTerminating" } });
      await expect.poll(() => hub.admin.get(configMapRef(name, "free")), soon).toBeUndefined();
      expect(await phase()).toBe("Terminating");
      await hub.admin.mergePatch(configMapRef(name, "held"), { metadata: { finalizers: null } }, manager);
      await expect.poll(phase, { interval: 200 }).toBeUndefined();
    });
  });
}
