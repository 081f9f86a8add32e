import { beforeAll, describe, expect, it } from "vitest";
import { valueAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { bindingOf, configMap, configMapRef, manager, namesOf, soon } from "./hub-session.ts";
import type { HubSession } from "./hub-session.ts";
import { ensureWidgets, widget, widgetRef } from "./widgets.ts";

const rbac = "rbac.authorization.k8s.io/v1";
const type = resourceTypes.configMap;
const forbidden = { code: "E_KUBE_FORBIDDEN", data: { status: 403, reason: "Forbidden" } };

export function describeRights(hub: HubSession): void {
  const rule = (resources: string[], verbs: string[], resourceNames?: string[]) => ({
    apiGroups: ["", "contract.rollcall.test", "coordination.k8s.io"],
    resources,
    verbs,
    ...(resourceNames === undefined ? {} : { resourceNames }),
  });

  describe("rights", () => {
    beforeAll(() => ensureWidgets(hub.admin));

    it("are none before something is granted, and the refusal names the user, the verb and the resource", async () => {
      const namespace = await hub.newNamespace();
      const { api, name } = await hub.newAccount(namespace, []);
      const user = `system:serviceaccount:${namespace}:${name}`;
      await expect(api.get(configMapRef(namespace, "a"))).rejects.toMatchObject({
        ...forbidden,
        message: expect.stringContaining(`User "${user}" cannot get resource "configmaps"`) as string,
      });
      await expect(api.list(type, { namespace })).rejects.toMatchObject(forbidden);
      await expect(api.create(configMap(namespace, "a"), manager)).rejects.toMatchObject(forbidden);
      await expect(api.delete(configMapRef(namespace, "a"))).rejects.toMatchObject(forbidden);
      const watching = (async () => {
        for await (const event of api.watch(type, { namespace, resourceVersion: "1" })) return event;
      })();
      await expect(watching).rejects.toMatchObject(forbidden);
    });

    it("are those of the verbs, resources and namespace of the Role, and no more", async () => {
      const namespace = await hub.newNamespace();
      const { api } = await hub.newAccount(namespace, [rule(["configmaps"], ["get", "create"])]);
      await api.create(configMap(namespace, "a"), manager);
      expect(await api.get(configMapRef(namespace, "a"))).toBeDefined();
      await expect(api.list(type, { namespace })).rejects.toMatchObject(forbidden);
      await expect(api.mergePatch(configMapRef(namespace, "a"), { data: {} }, manager)).rejects.toMatchObject(
        forbidden,
      );
      await expect(api.get({ type: resourceTypes.secret, namespace, name: "a" })).rejects.toMatchObject(forbidden);
      await expect(api.get(configMapRef("default", "a"))).rejects.toMatchObject(forbidden);
      await expect(api.list(type)).rejects.toMatchObject(forbidden);
    });

    it("to objects by name include list and watch of that one name as a field, and nothing beside it", async () => {
      const namespace = await hub.newNamespace();
      for (const name of ["mine", "other"]) await hub.admin.create(configMap(namespace, name), manager);
      const verbs = ["get", "list", "watch", "patch"];
      const { api } = await hub.newAccount(namespace, [rule(["configmaps"], verbs, ["mine"])]);
      expect(await api.get(configMapRef(namespace, "mine"))).toBeDefined();
      await expect(api.get(configMapRef(namespace, "other"))).rejects.toMatchObject(forbidden);
      await expect(api.list(type, { namespace })).rejects.toMatchObject(forbidden);
      const ours = { namespace, fieldSelector: "metadata.name=mine" };
      const list = await api.list(type, ours);
      expect(namesOf(list.items)).toEqual(["mine"]);
      await expect(api.list(type, { namespace, fieldSelector: "metadata.name=other" })).rejects.toMatchObject(
        forbidden,
      );
      const aborting = new AbortController();
      const { signal } = aborting;
      const first = (async () => {
        for await (const event of api.watch(type, { ...ours, resourceVersion: list.resourceVersion, signal }))
          return event;
      })();
      await api.mergePatch(configMapRef(namespace, "mine"), { data: { x: "1" } }, manager);
      expect(await first).toMatchObject({ kind: "modified", object: { data: { x: "1" } } });
      aborting.abort();
    });

    it("to patch do not let an object be made by applying it", async () => {
      const namespace = await hub.newNamespace();
      const { api } = await hub.newAccount(namespace, [rule(["configmaps"], ["get", "patch"])]);
      await expect(api.apply(configMap(namespace, "a"), manager)).rejects.toMatchObject(forbidden);
      await hub.admin.create(configMap(namespace, "a"), manager);
      expect((await api.apply(configMap(namespace, "a", { x: "1" }), manager))["data"]).toEqual({ x: "1" });
    });

    it("to an object are not rights to its status, nor the other way round", async () => {
      const namespace = await hub.newNamespace();
      await hub.admin.create(widget(namespace, "a"), manager);
      const ref = widgetRef(namespace, "a");
      const status = { status: { phase: "Ready" } };
      const bySpec = await hub.newAccount(namespace, [rule(["widgets"], ["get", "patch"])]);
      const byStatus = await hub.newAccount(namespace, [rule(["widgets/status"], ["patch"])]);
      await bySpec.api.mergePatch(ref, { spec: { color: "red" } }, manager);
      const onStatus = { ...manager, subresource: "status" } as const;
      await expect(bySpec.api.mergePatch(ref, status, onStatus)).rejects.toMatchObject(forbidden);
      expect((await byStatus.api.mergePatch(ref, status, onStatus))["status"]).toEqual({ phase: "Ready" });
      await expect(byStatus.api.mergePatch(ref, { spec: { color: "blue" } }, manager)).rejects.toMatchObject(forbidden);
      await expect(byStatus.api.get(ref)).rejects.toMatchObject(forbidden);
    });

    it("follow the Role and its binding as they change, at once enough for people", async () => {
      const namespace = await hub.newNamespace();
      const { api, name } = await hub.newAccount(namespace, []);
      const canList = () =>
        api.list(type, { namespace }).then(
          () => true,
          () => false,
        );
      const role = { type: resourceTypes.role, namespace, name };
      await hub.admin.mergePatch(role, { rules: [rule(["configmaps"], ["list"])] }, manager);
      await expect.poll(canList, soon).toBe(true);
      await hub.admin.delete({ type: resourceTypes.roleBinding, namespace, name });
      await expect.poll(canList, soon).toBe(false);
    });

    it("come from a ClusterRole too: in one namespace by a RoleBinding, everywhere by a ClusterRoleBinding", async () => {
      const namespace = await hub.newNamespace();
      const name = `contract-${namespace}`;
      await hub.admin.create(
        { apiVersion: rbac, kind: "ClusterRole", metadata: { name }, rules: [rule(["configmaps"], ["list"])] },
        manager,
      );
      const account = await hub.newAccount(namespace, []);
      const extra = { namespace, name: `${account.name}-extra` };
      const binding = bindingOf({ namespace, name: account.name }, { kind: "ClusterRole", name });
      await hub.admin.create({ ...binding, metadata: extra }, manager);
      const canList = (inNamespace?: string) =>
        account.api.list(type, { namespace: inNamespace }).then(
          () => true,
          () => false,
        );
      await expect.poll(() => canList(namespace), soon).toBe(true);
      expect(await canList("default")).toBe(false);
      await hub.admin.create({ ...binding, kind: "ClusterRoleBinding", metadata: { name } }, manager);
      await expect.poll(() => canList(), soon).toBe(true);
      await hub.admin.delete({ type: resourceTypes.clusterRoleBinding, name });
      await hub.admin.delete({ type: resourceTypes.clusterRole, name });
    });

    it("can be given only by those who have them, and bindings keep their role", async () => {
      const namespace = await hub.newNamespace();
      // Not "*": that includes the verbs escalate and bind, which are there to get around this.
      const verbs = ["get", "create", "patch", "update"];
      const roles = { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs };
      const { api, name } = await hub.newAccount(namespace, [roles, rule(["configmaps"], ["get"])]);
      const role = (roleName: string, granted: string[]) => ({
        apiVersion: rbac,
        kind: "Role",
        metadata: { namespace, name: roleName },
        rules: [rule(["configmaps"], granted)],
      });
      await api.create(role("equal", ["get"]), manager);
      await expect(api.create(role("more", ["get", "delete"]), manager)).rejects.toMatchObject(forbidden);
      await expect(
        api.mergePatch(
          { type: resourceTypes.role, namespace, name: "equal" },
          { rules: [rule(["*"], ["*"])] },
          manager,
        ),
      ).rejects.toMatchObject(forbidden);
      const binding = bindingOf({ namespace, name }, { kind: "ClusterRole", name: "cluster-admin" });
      const bound = { ...binding, metadata: { namespace, name: "escalating" } };
      await expect(api.create(bound, manager)).rejects.toMatchObject(forbidden);
      await hub.admin.create(role("more", ["delete"]), manager);
      const rebound = { ...binding, roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "more" } };
      await expect(
        hub.admin.mergePatch(
          { type: resourceTypes.roleBinding, namespace, name },
          { roleRef: rebound.roleRef },
          manager,
        ),
      ).rejects.toMatchObject({ code: "E_KUBE_INVALID", data: { field: "roleRef" } });
    });

    it("are reported to their holder, by SelfSubjectAccessReview and SubjectAccessReview", async () => {
      const namespace = await hub.newNamespace();
      const { api, name } = await hub.newAccount(namespace, [rule(["configmaps"], ["get"], ["mine"])]);
      const ask = async (verb: string, resourceName: string) => {
        const resourceAttributes = { namespace, verb, resource: "configmaps", name: resourceName };
        const apiVersion = "authorization.k8s.io/v1";
        const own = {
          apiVersion,
          kind: "SelfSubjectAccessReview",
          metadata: { name: "" },
          spec: { resourceAttributes },
        };
        const user = `system:serviceaccount:${namespace}:${name}`;
        const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
        const spec = { resourceAttributes, user, groups };
        const others = { ...own, kind: "SubjectAccessReview", spec };
        const answers = [await api.create(own, manager), await hub.admin.create(others, manager)];
        return answers.map((answer) => valueAt(answer, "status", "allowed"));
      };
      await expect.poll(() => ask("get", "mine"), soon).toEqual([true, true]);
      expect(await ask("get", "other")).toEqual([false, false]);
      expect(await ask("delete", "mine")).toEqual([false, false]);
    });
  });
}
