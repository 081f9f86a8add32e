import { describe, expect, it } from "vitest";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { configMapList, configMapNamed, ok, settings, settingsPath, status, useScriptedApi } from "./scripted-api.ts";
import { answerJson } from "./scripted-server.ts";

const { configMap } = resourceTypes;

describe("createKubeApi", () => {
  const scripted = useScriptedApi();

  describe("requests", () => {
    const manager = { fieldManager: "rollcall-test" };
    const managerQuery = "fieldManager=rollcall-test";
    const object = configMapNamed("settings", { data: { a: "1" } });
    const table: {
      name: string;
      call: (api: KubeApi) => Promise<unknown>;
      line: string;
      type?: string;
      body?: unknown;
    }[] = [
      { name: "get", call: (api) => api.get(settings), line: `GET ${settingsPath}` },
      {
        name: "get of a cluster-scoped object with a colon in its name",
        call: (api) => api.get({ type: resourceTypes.clusterRole, name: "system:node" }),
        line: "GET /apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode",
      },
      {
        name: "create",
        call: (api) => api.create(object, { ...manager, isDryRun: true }),
        line: `POST /api/v1/namespaces/edge/configmaps?${managerQuery}&dryRun=All`,
        type: "application/json",
        body: object,
      },
      {
        name: "update",
        call: (api) => api.update(object, manager),
        line: `PUT ${settingsPath}?${managerQuery}`,
        type: "application/json",
        body: object,
      },
      {
        name: "apply",
        call: (api) => api.apply(object, manager),
        line: `PATCH ${settingsPath}?${managerQuery}&force=true`,
        type: "application/apply-patch+yaml",
        body: object,
      },
      {
        name: "apply of a status without force",
        call: (api) => api.apply(object, { ...manager, subresource: "status", isForced: false }),
        line: `PATCH ${settingsPath}/status?${managerQuery}`,
        type: "application/apply-patch+yaml",
        body: object,
      },
      {
        name: "mergePatch",
        call: (api) => api.mergePatch(settings, { data: { a: null } }, manager),
        line: `PATCH ${settingsPath}?${managerQuery}`,
        type: "application/merge-patch+json",
        body: { data: { a: null } },
      },
      {
        name: "mergePatch by merge keys",
        call: (api) => api.mergePatch(settings, { data: { a: null } }, { ...manager, isStrategic: true }),
        line: `PATCH ${settingsPath}?${managerQuery}`,
        type: "application/strategic-merge-patch+json",
        body: { data: { a: null } },
      },
      {
        name: "delete",
        call: (api) => api.delete(settings, { uid: "u", resourceVersion: "7", propagation: "Foreground" }),
        line: `DELETE ${settingsPath}`,
        type: "application/json",
        body: {
          apiVersion: "v1",
          kind: "DeleteOptions",
          preconditions: { uid: "u", resourceVersion: "7" },
          propagationPolicy: "Foreground",
        },
      },
    ];
    it.each(table)("sends $name as an API server expects it", async ({ call, line, type, body }) => {
      await call(scripted.open());
      expect(scripted.server.lines).toEqual([line]);
      expect(scripted.server.requests[0]?.headers["content-type"]).toBe(type);
      if (body !== undefined) expect(JSON.parse(scripted.server.requests[0]?.body ?? "")).toEqual(body);
    });

    it("counts them by verb, each page and each try", async () => {
      const api = scripted.open();
      scripted.play(
        (_, response) => answerJson(response, 200, configMapList(["a"], { resourceVersion: "5", continue: "next" })),
        (_, response) => answerJson(response, 200, configMapList(["b"], { resourceVersion: "5" })),
        status(429, { reason: "TooManyRequests" }),
        ok,
      );
      await api.list(configMap);
      await api.get(settings);
      expect(Object.fromEntries(api.requestCounts)).toEqual({ list: 2, get: 2 });
    });

    it("refuses what can only be a mistake of the program, without asking the server", async () => {
      const api = scripted.open();
      const { resourceVersion: _, ...metadata } = object.metadata;
      await expect(api.update({ ...object, metadata }, manager)).rejects.toMatchObject({ code: "E_BUG" });
      await expect(api.create({ ...object, kind: "Unheard" }, manager)).rejects.toMatchObject({ code: "E_BUG" });
      await expect(api.get({ type: configMap, name: "x" })).rejects.toMatchObject({ code: "E_KUBE_INVALID" });
      const escaping = { type: configMap, namespace: "..", name: "x" };
      await expect(api.get(escaping)).rejects.toMatchObject({ code: "E_KUBE_INVALID" });
      expect(scripted.server.lines).toEqual([]);
    });

    it("knows the kinds that it was given", async () => {
      const widget = { group: "example.com", version: "v1", kind: "Widget", plural: "widgets", isNamespaced: false };
      const api = scripted.open({ types: [widget] });
      await api.apply({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } }, manager);
      expect(scripted.server.lines).toEqual([`PATCH /apis/example.com/v1/widgets/w?${managerQuery}&force=true`]);
    });

    it("asks for a token that dies with a Secret", async () => {
      const answer = { status: { token: "t", expirationTimestamp: "2030-01-01T00:00:00Z" } };
      scripted.server.script = (_, response) => answerJson(response, 201, answer);
      const issued = await scripted.open().requestToken({
        namespace: "edge",
        serviceAccount: "agent",
        expirationSeconds: 600,
        boundSecret: { name: "s", uid: "u" },
      });
      expect(issued).toEqual({ token: "t", expiresAt: "2030-01-01T00:00:00Z" });
      expect(scripted.server.lines).toEqual(["POST /api/v1/namespaces/edge/serviceaccounts/agent/token"]);
      expect(JSON.parse(scripted.server.requests[0]?.body ?? "")).toMatchObject({
        spec: { expirationSeconds: 600, boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "s", uid: "u" } },
      });
    });

    it("gives status and text of any answer to getRaw", async () => {
      scripted.server.script = (_, response) => response.writeHead(500).end("[-]etcd failed");
      expect(await scripted.open().getRaw("/readyz")).toEqual({ status: 500, text: "[-]etcd failed" });
    });
  });

  describe("errors", () => {
    const table = [
      { status: 400, reason: "BadRequest", code: "E_KUBE_INVALID" },
      { status: 401, reason: "Unauthorized", code: "E_KUBE_UNAUTHORIZED" },
      { status: 403, reason: "Forbidden", code: "E_KUBE_FORBIDDEN" },
      { status: 404, reason: "NotFound", code: "E_KUBE_NOT_FOUND" },
      { status: 409, reason: "Conflict", code: "E_KUBE_CONFLICT" },
      { status: 409, reason: "AlreadyExists", code: "E_KUBE_EXISTS" },
      { status: 410, reason: "Expired", code: "E_KUBE_GONE" },
      { status: 415, reason: "UnsupportedMediaType", code: "E_KUBE_INVALID" },
      { status: 422, reason: "Invalid", code: "E_KUBE_INVALID" },
      { status: 500, reason: "InternalError", code: "E_KUBE_SERVER" },
      { status: 504, reason: "Timeout", code: "E_KUBE_SERVER" },
      { status: 418, reason: "", code: "E_KUBE_INVALID" },
      { status: 599, reason: "Brewing", code: "E_KUBE_SERVER" },
    ];
    it.each(table)(
      "are $code for $status $reason, with the server's words",
      async ({ status: code, reason, code: expected }) => {
        scripted.play(status(code, { reason, message: "because\u0000 of\nthis" }));
        const error: unknown = await scripted
          .open()
          .create(configMapNamed("settings"), { fieldManager: "t" })
          .catch((e: unknown) => e);
        expect(error).toMatchObject({
          code: expected,
          message: "create ConfigMap/edge/settings: because of this",
          data: { verb: "create", object: "ConfigMap/edge/settings", status: code, reason },
        });
      },
    );

    it("name the first cause, so that no caller has to read messages", async () => {
      const causes = [{ reason: "FieldManagerConflict", message: 'conflict with "kubectl"', field: ".data.a" }];
      scripted.play(status(409, { reason: "Conflict", message: "Apply failed", details: { causes } }));
      const applied = scripted.open().apply(configMapNamed("settings"), { fieldManager: "t", isForced: false });
      await expect(applied).rejects.toMatchObject({
        code: "E_KUBE_CONFLICT",
        data: { cause: "FieldManagerConflict", field: ".data.a" },
      });
    });

    it("take a namespace that is being deleted for no matter of credentials", async () => {
      const causes = [{ reason: "NamespaceTerminating", field: "metadata.namespace" }];
      scripted.play(status(403, { reason: "Forbidden", details: { causes } }));
      const created = scripted.open().create(configMapNamed("settings"), { fieldManager: "t" });
      await expect(created).rejects.toMatchObject({ code: "E_KUBE_CONFLICT", data: { cause: "NamespaceTerminating" } });
    });

    it("do not repeat values of a Secret that the server refuses", async () => {
      const causes = [{ reason: "FieldValueInvalid", message: 'Invalid value: "hunter2"', field: "data[key]" }];
      scripted.play(
        status(422, { reason: "Invalid", message: 'data[key]: Invalid value: "hunter2"', details: { causes } }),
      );
      const object = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "edge", name: "s" } };
      const error: unknown = await scripted
        .open()
        .create(object, { fieldManager: "t" })
        .catch((e: unknown) => e);
      expect(error).toMatchObject({
        code: "E_KUBE_INVALID",
        message: "create Secret/edge/s: refused (Invalid) data[key] (FieldValueInvalid)",
      });
      expect(JSON.stringify(error)).not.toContain("hunter2");
    });

    it("are never of credentials or absence when a page of HTML comes instead of a Status", async () => {
      for (const code of [200, 302, 401, 403, 404]) {
        scripted.server.script = (_, response) => {
          response.writeHead(code, { "content-type": "text/html; charset=utf-8" });
          response.end("<html>Sign in</html>");
        };
        await expect(scripted.open().get(settings)).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
      }
    });

    it("distinguish a missing object from a missing resource", async () => {
      const api = scripted.open();
      scripted.play(status(404, { reason: "NotFound", details: { name: "settings", kind: "configmaps" } }));
      expect(await api.get(settings)).toBeUndefined();
      await api.delete(settings);
      scripted.play((_, response) =>
        response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found\n"),
      );
      await expect(api.get(settings)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
      await expect(api.delete(settings)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
      scripted.play(status(404, { reason: "NotFound", details: {} }));
      await expect(api.get(settings)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
    });

    it.each([
      { what: "half a JSON object", text: '{"kind":"ConfigMap","apiVersion":"v1",' },
      { what: "JSON that is no object", text: "[1]" },
      { what: "an object without a kind", text: '{"a":1}' },
      { what: "nothing", text: "" },
    ])("are E_KUBE_SERVER when the answer is $what", async ({ text }) => {
      scripted.server.script = (_, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(text);
      await expect(scripted.open().get(settings)).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
    });
  });
});
