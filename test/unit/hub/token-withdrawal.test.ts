import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { JoinProtocol } from "../../../src/join/join.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { reconcileToken } from "../../../src/hub/tokens.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../src/model/well-known.ts";
import { startMs } from "../join/hub-scene.ts";
import { openMemberWorld } from "./members/member-world.ts";

const ref = { type: resourceTypes.clusterRegistrationToken, namespace: "fleet", name: "edge" };
const tokenOf = (changes: { annotations?: object; spec?: object } = {}): KubeObject => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ClusterRegistrationToken",
  metadata: {
    namespace: "fleet",
    name: "edge",
    labels: { [labelKeys.repository]: "rollcall.fleet" },
    annotations: { ...changes.annotations },
  },
  spec: { ...changes.spec },
});

/** A token that was served: it has its account, its rights and its values. */
async function open(token = tokenOf()) {
  const world = await openMemberWorld();
  await world.put(token);
  const reconcile = () => {
    world.requests.length = 0;
    return reconcileToken(world.ports, { workspace: "fleet", name: "edge" }, world.signal);
  };
  await reconcile();
  const children = () => world.ports.view.childrenOf(labelKeys.token, "fleet", "edge");
  const statusText = () => JSON.stringify(world.ports.view.get(ref)?.["status"] ?? {});
  return {
    ...world,
    reconcile,
    children,
    statusText,
    deletions: () => world.requests.filter(({ verb }) => verb === "delete"),
  };
}

describe("reconcileToken", () => {
  it("deletes what it issued to a deleted token by the version that it saw", async () => {
    const world = await open();
    const issued = world.children();
    await world.ports.hubApi.delete(ref);
    await world.reconcile();
    const seen = issued.map(({ kind, metadata: { name, uid, resourceVersion } }) => ({
      verb: "delete",
      name: `${kind}/${name}`,
      object: { uid, resourceVersion },
    }));
    const byName = (left: { name: string }, right: { name: string }): number => (left.name < right.name ? -1 : 1);
    expect(world.deletions().sort(byName)).toEqual(seen.sort(byName));
    expect(seen.length).toBeGreaterThan(3);
    expect(world.children()).toEqual([]);
  });

  it("takes back what it issued when a token that no file declares has the name, and reports it once", async () => {
    const world = await open();
    await world.ports.hubApi.delete(ref);
    await world.put(tokenOf(), "kubectl");
    expect(await world.reconcile()).toBe(30_000);
    expect(world.children()).toEqual([]);
    expect(world.asked().at(-1)).toBe("status ClusterRegistrationToken/edge");
    expect(world.statusText()).toContain('"NotInGit"');
    await world.reconcile();
    const told = world.events.length;
    expect(await world.reconcile()).toBe(30_000);
    expect([world.asked(), world.events.length]).toEqual([[], told]);
  });

  it("takes the account of a token that is revoked while it is suspended", async () => {
    const world = await open();
    const suspended = { [annotationKeys.reconcile]: "disabled" };
    await world.put(tokenOf({ annotations: suspended }));
    await world.reconcile();
    expect(world.asked()).toEqual([]);
    await world.put(tokenOf({ annotations: { ...suspended, [annotationKeys.revoked]: "-/eve/2027-01-15T08:00:00Z" } }));
    await world.reconcile();
    expect(world.deletions().map(({ name }) => name)).toContain("ServiceAccount/rollcall.token.edge");
    expect(world.asked().filter((request) => request.startsWith("token"))).toEqual([]);
  });

  it("takes the account and the values of a token that has expired, and issues no others", async () => {
    const world = await open(tokenOf({ spec: { ttl: "60m" } }));
    world.setNow(startMs + 61 * 60_000);
    await world.reconcile();
    expect(world.children()).toEqual([]);
    await world.reconcile();
    await world.reconcile();
    expect([world.asked(), world.children()]).toEqual([[], []]);
  });

  it("does not report that a token is open before its objects are written", async () => {
    const world = await openMemberWorld();
    await world.put(tokenOf());
    const refused = new AppError("E_KUBE_FORBIDDEN", "apply Role");
    const apply = world.ports.hubApi.apply.bind(world.ports.hubApi);
    Object.assign(world.ports.hubApi, {
      apply: (...[object, options]: Parameters<typeof apply>) =>
        object.kind === "Role" ? Promise.reject(refused) : apply(object, options),
    });
    const running = reconcileToken(world.ports, { workspace: "fleet", name: "edge" }, world.signal);
    await expect(running).rejects.toBe(refused);
    expect(world.ports.view.get(ref)?.["status"]).toBeUndefined();
    expect(world.asked()).not.toContain("apply Secret/edge");
  });

  it("fails where the status of a token could not be written, and writes it with the next try", async () => {
    const world = await openMemberWorld();
    await world.put(tokenOf());
    const conflict = new AppError("E_KUBE_CONFLICT", "apply status");
    const apply = world.ports.hubApi.apply.bind(world.ports.hubApi);
    Object.assign(world.ports.hubApi, {
      apply: (...[object, options]: Parameters<typeof apply>) =>
        options.subresource === "status" ? Promise.reject(conflict) : apply(object, options),
    });
    const reconcile = () => reconcileToken(world.ports, { workspace: "fleet", name: "edge" }, world.signal);
    await expect(reconcile()).rejects.toBe(conflict);
    expect(world.events).toEqual([]);
    Object.assign(world.ports.hubApi, { apply });
    world.requests.length = 0;
    await reconcile();
    expect(world.asked()).toEqual(["status ClusterRegistrationToken/edge"]);
  });

  it("is reconciled again at the earlier one of its end and of the next revert", async () => {
    const world = await open(tokenOf({ spec: { ttl: "10m" } }));
    const role = { type: resourceTypes.role, namespace: "fleet", name: "rollcall.token.edge" };
    for (let round = 0; round < 5; round++) {
      await world.ports.hubApi.mergePatch(role, { rules: [] }, { fieldManager: "other-tool" });
      await world.reconcile();
    }
    expect(await world.reconcile()).toBe(1000);
    expect(world.events).toContainEqual(expect.objectContaining({ type: "Warning", reason: "FieldFight" }));
    world.setNow(startMs + 10 * 60_000 - 400);
    await world.reconcile();
    await world.ports.hubApi.mergePatch(role, { rules: [] }, { fieldManager: "other-tool" });
    expect((await world.reconcile()) ?? 0).toBeLessThanOrEqual(400);
  });

  it.each([
    { reason: "is revoked", annotations: { [annotationKeys.revoked]: "-/eve/2027-01-15T08:00:00Z" }, isIssued: false },
    { reason: "gets another annotation", annotations: { note: "x" }, isIssued: true },
  ])(
    "issues values ($isIssued) to a token that $reason while its rights are written",
    async ({ annotations, isIssued }) => {
      const world = await openMemberWorld();
      await world.put(tokenOf());
      const apply = world.ports.hubApi.apply.bind(world.ports.hubApi);
      Object.assign(world.ports.hubApi, {
        apply: async (...[object, options]: Parameters<typeof apply>) => {
          if (object.kind === "RoleBinding")
            await world.hub.api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "rollcall-operator" });
          return apply(object, options);
        },
      });
      await reconcileToken(world.ports, { workspace: "fleet", name: "edge" }, world.signal);
      expect(world.asked().includes("apply Secret/edge")).toBe(isIssued);
      const conditions = JSON.stringify(world.ports.view.get(ref)?.["status"]);
      expect(conditions.includes('"Revoked"')).toBe(!isIssued);
    },
  );

  it("writes the status of another object without the version of the token, which is not its own", async () => {
    const world = await openMemberWorld();
    await world.put(tokenOf());
    await world.put({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: "fleet" } });
    const other = { ref: { type: resourceTypes.configMap, namespace: "fleet", name: "c" }, status: { open: true } };
    const protocol: JoinProtocol = {
      ...rollcallProtocol,
      tokenStatuses: (...of) => [...rollcallProtocol.tokenStatuses(...of), other],
    };
    const ports = { ...world.ports, protocols: new Map([["rollcall" as const, protocol]]) };
    await reconcileToken(ports, { workspace: "fleet", name: "edge" }, world.signal);
    const statuses = world.requests.filter(({ verb }) => verb === "status").map(({ object }) => object as KubeObject);
    const versionOf = (kind: string) => statuses.find((object) => object.kind === kind)?.metadata.resourceVersion;
    expect(versionOf("ClusterRegistrationToken")).toBeDefined();
    expect(statuses.some(({ kind }) => kind === "ConfigMap")).toBe(true);
    expect(versionOf("ConfigMap")).toBeUndefined();
  });
});
