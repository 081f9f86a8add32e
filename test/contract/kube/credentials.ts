import { beforeAll, describe, expect, it } from "vitest";
import { textAt, valueAt } from "../../../src/core/read-json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { untilRefused } from "../../support/until-refused.ts";
import { configMap, configMapRef, manager, soon } from "./hub-session.ts";
import type { HubSession } from "./hub-session.ts";

const authentication = "authentication.k8s.io/v1";

export function describeCredentials(hub: HubSession): void {
  const reading = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }];
  const unauthorized = { code: "E_KUBE_UNAUTHORIZED", data: { status: 401 } };

  async function codeOf(api: KubeApi, namespace: string): Promise<string> {
    try {
      await api.get(configMapRef(namespace, "any"));
      return "accepted";
    } catch (error) {
      return textAt(error, "code") ?? (error as { code: string }).code;
    }
  }
  async function makeSecret(namespace: string, name: string) {
    const secret = await hub.admin.create({ apiVersion: "v1", kind: "Secret", metadata: { namespace, name } }, manager);
    return { name, uid: secret.metadata.uid ?? "" };
  }
  async function review(token: string) {
    const asked = { apiVersion: authentication, kind: "TokenReview", metadata: { name: "" }, spec: { token } };
    return valueAt(await hub.admin.create(asked, manager), "status");
  }

  describe("credentials", () => {
    it("of a service account are asked for by TokenRequest, for a time of at least ten minutes", async () => {
      const namespace = await hub.newNamespace();
      const account = await hub.newAccount(namespace, reading);
      const request = { namespace, serviceAccount: account.name };
      const issued = await hub.admin.requestToken({ ...request, expirationSeconds: 600 });
      const lifeSeconds = (Date.parse(issued.expiresAt) - Date.now()) / 1000;
      expect(lifeSeconds).toBeGreaterThan(500);
      expect(lifeSeconds).toBeLessThan(700);
      const api = hub.apiAs(issued.token);
      await expect.poll(() => codeOf(api, namespace), soon).toBe("accepted");
      await expect(hub.admin.requestToken({ ...request, expirationSeconds: 599 })).rejects.toMatchObject({
        code: "E_KUBE_INVALID",
        data: { field: "spec.expirationSeconds" },
      });
      const unknown = { namespace, serviceAccount: "nobody", expirationSeconds: 600 };
      await expect(hub.admin.requestToken(unknown)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
    });

    it("identify their account in TokenReview and SelfSubjectReview", async () => {
      const namespace = await hub.newNamespace();
      const { name, token, api } = await hub.newAccount(namespace, []);
      const account = await hub.admin.get({ type: resourceTypes.serviceAccount, namespace, name });
      const username = `system:serviceaccount:${namespace}:${name}`;
      const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
      expect(await review(token)).toMatchObject({
        authenticated: true,
        user: { username, uid: account?.metadata.uid, groups: expect.arrayContaining(groups) as unknown },
      });
      const self = { apiVersion: authentication, kind: "SelfSubjectReview", metadata: { name: "" } };
      expect(valueAt(await api.create(self, manager), "status", "userInfo", "username")).toBe(username);
      expect(valueAt(await review("nonsense"), "authenticated")).not.toBe(true);
    });

    it("made for another audience are not accepted", async () => {
      const namespace = await hub.newNamespace();
      const { name } = await hub.newAccount(namespace, reading);
      const request = { namespace, serviceAccount: name, expirationSeconds: 600, audiences: ["elsewhere"] };
      const { token } = await hub.admin.requestToken(request);
      await expect(hub.apiAs(token).get(configMapRef(namespace, "any"))).rejects.toMatchObject(unauthorized);
    });

    it("bound to a Secret die with it within 15 s, and only they", async () => {
      const namespace = await hub.newNamespace();
      const account = await hub.newAccount(namespace, reading);
      const boundSecret = await makeSecret(namespace, "bound");
      const request = { namespace, serviceAccount: account.name, expirationSeconds: 3600 };
      const { token } = await hub.admin.requestToken({ ...request, boundSecret });
      const api = hub.apiAs(token);
      await expect.poll(() => codeOf(api, namespace), soon).toBe("accepted");
      await hub.admin.delete({ type: resourceTypes.secret, namespace, name: "bound" });
      await untilRefused(() => codeOf(api, namespace));
      expect(await codeOf(api, namespace)).toBe("E_KUBE_UNAUTHORIZED");
      expect(await codeOf(account.api, namespace)).toBe("accepted");
      await makeSecret(namespace, "bound");
      expect(await codeOf(api, namespace)).toBe("E_KUBE_UNAUTHORIZED");
    });

    it("cannot be bound to a Secret that is not there, or is another one", async () => {
      const namespace = await hub.newNamespace();
      const { name } = await hub.newAccount(namespace, []);
      const { uid } = await makeSecret(namespace, "bound");
      const request = { namespace, serviceAccount: name, expirationSeconds: 600 };
      const missing = hub.admin.requestToken({ ...request, boundSecret: { name: "none", uid } });
      await expect(missing).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
      const other = { name: "bound", uid: "11111111-1111-1111-1111-111111111111" };
      await expect(hub.admin.requestToken({ ...request, boundSecret: other })).rejects.toMatchObject({
        code: "E_KUBE_CONFLICT",
      });
    });

    it("die with their account within 15 s", async () => {
      const namespace = await hub.newNamespace();
      const { api, name } = await hub.newAccount(namespace, reading);
      await expect.poll(() => codeOf(api, namespace), soon).toBe("accepted");
      await hub.admin.delete({ type: resourceTypes.serviceAccount, namespace, name });
      await untilRefused(() => codeOf(api, namespace));
      expect(await codeOf(api, namespace)).toBe("E_KUBE_UNAUTHORIZED");
    });

    it("without an end are in Secrets of their own type, filled by the hub, and end with them", async () => {
      const namespace = await hub.newNamespace();
      const account = await hub.newAccount(namespace, reading);
      const metadata = {
        namespace,
        name: "token",
        annotations: { "kubernetes.io/service-account.name": account.name },
      };
      const type = "kubernetes.io/service-account-token";
      await hub.admin.create({ apiVersion: "v1", kind: "Secret", metadata, type }, manager);
      const ref = { type: resourceTypes.secret, namespace, name: "token" };
      const read = async (key: string) =>
        Buffer.from(textAt(await hub.admin.get(ref), "data", key) ?? "", "base64").toString("utf8");
      await expect.poll(() => read("token"), soon).not.toBe("");
      expect(await read("namespace")).toBe(namespace);
      expect(await read("ca.crt")).toContain("-----BEGIN CERTIFICATE-----");
      const api = hub.apiAs(await read("token"));
      await expect.poll(() => codeOf(api, namespace), soon).toBe("accepted");
      await hub.admin.delete(ref);
      await untilRefused(() => codeOf(api, namespace));
      expect(await codeOf(api, namespace)).toBe("E_KUBE_UNAUTHORIZED");
    });

    it("that are no token are refused as such", async () => {
      for (const token of ["nonsense", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJzeXN0ZW06YWRtaW4ifQ."]) {
        await expect(hub.apiAs(token).get(configMapRef("default", "any"))).rejects.toMatchObject(unauthorized);
      }
    });
  });

  describe("a client without a credential", () => {
    let namespace = "";
    beforeAll(async () => {
      namespace = await hub.newNamespace();
    });

    it("may do nothing", async () => {
      const api = hub.apiAs(undefined);
      const refused = { code: expect.stringMatching(/^E_KUBE_(?:FORBIDDEN|UNAUTHORIZED)$/u) as string };
      await expect(api.get(configMapRef(namespace, "any"))).rejects.toMatchObject(refused);
      await expect(api.list(resourceTypes.secret)).rejects.toMatchObject(refused);
      await expect(api.create(configMap(namespace, "any"), manager)).rejects.toMatchObject(refused);
    });

    it("may read what is granted to system:unauthenticated: one ConfigMap by name, and no list", async () => {
      await hub.admin.create(configMap(namespace, "hub-info", { signed: "yes" }), manager);
      await hub.admin.create(configMap(namespace, "private"), manager);
      const metadata = { namespace, name: "public" };
      const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"], resourceNames: ["hub-info"] }];
      const rbac = "rbac.authorization.k8s.io";
      await hub.admin.create({ apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules }, manager);
      const subjects = [{ apiGroup: rbac, kind: "Group", name: "system:unauthenticated" }];
      const roleRef = { apiGroup: rbac, kind: "Role", name: "public" };
      await hub.admin.create({ apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata, roleRef, subjects }, manager);
      const api = hub.apiAs(undefined);
      const read = async () =>
        textAt(await api.get(configMapRef(namespace, "hub-info")).catch(() => undefined), "data", "signed");
      await expect.poll(read, soon).toBe("yes");
      await expect(api.get(configMapRef(namespace, "private"))).rejects.toMatchObject({ code: "E_KUBE_FORBIDDEN" });
      await expect(api.list(resourceTypes.configMap, { namespace })).rejects.toMatchObject({
        code: "E_KUBE_FORBIDDEN",
      });
    });

    it("may ask whether the hub is ready, and for its version", async () => {
      const api = hub.apiAs(undefined);
      expect((await api.getRaw("/readyz")).status).toBe(200);
      expect((await api.getRaw("/livez")).status).toBe(200);
      const version = JSON.parse((await api.getRaw("/version")).text) as unknown;
      expect(textAt(version, "gitVersion")).toMatch(/^v\d+\.\d+\.\d+/u);
    });
  });
}
