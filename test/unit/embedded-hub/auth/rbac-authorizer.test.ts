import { describe, expect, it } from "vitest";
import type { Authorizer, RequestAttributes, UserInfo } from "../../../../src/embedded-hub/auth/auth.ts";
import { requestForbidden } from "../../../../src/embedded-hub/auth/forbidden.ts";
import { requestAttributes } from "../../../../src/embedded-hub/request/request-attributes.ts";
import { readRequestInfo } from "../../../../src/embedded-hub/request/request-info.ts";
import { authorizerWith, binding, role, user } from "./auth-builders.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";

const pods = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };

function ask(authorizer: Authorizer, who: UserInfo, request: string) {
  return authorizer.authorize(attributesOf(request, who));
}

function attributesOf(request: string, who: UserInfo): RequestAttributes {
  const [method = "", target = ""] = request.split(" ");
  const info = readRequestInfo(method, target);
  if (info.kind === "malformed") throw new Error(info.message);
  return requestAttributes(who, info);
}

describe("createRbacAuthorizer", () => {
  it("allows what a binding of the user, a group or the account gives, and names which one", () => {
    const authorizer = authorizerWith(
      role({ name: "reader", rules: [pods] }),
      role({ name: "reader", namespace: "shop", rules: [pods] }),
      binding("everywhere", "ClusterRole/reader", ["Group/ops", "User/eve"]),
      binding("here", "Role/reader", ["User/anna", "ServiceAccount/bot"], "shop"),
    );
    expect(ask(authorizer, user("carl", "ops"), "GET /api/v1/pods")).toEqual({
      isAllowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "everywhere" of ClusterRole "reader" to Group "ops"',
    });
    expect(ask(authorizer, user("anna"), "GET /api/v1/namespaces/shop/pods/x").reason).toBe(
      'RBAC: allowed by RoleBinding "here/shop" of Role "reader" to User "anna"',
    );
    expect(ask(authorizer, user("system:serviceaccount:shop:bot"), "GET /api/v1/namespaces/shop/pods").reason).toBe(
      'RBAC: allowed by RoleBinding "here/shop" of Role "reader" to ServiceAccount "bot/shop"',
    );
    expect(ask(authorizer, user("anna"), "GET /api/v1/namespaces/other/pods").isAllowed).toBe(false);
    expect(ask(authorizer, user("anna"), "GET /api/v1/pods").isAllowed).toBe(false);
  });

  it("lets system:masters do everything without any role", () => {
    const authorizer = authorizerWith();
    expect(ask(authorizer, user("x", "system:masters"), "DELETE /api/v1/nodes")).toEqual({
      isAllowed: true,
      reason: "",
    });
  });

  it.each([
    { rule: { ...pods, verbs: ["*"] }, request: "DELETE /api/v1/namespaces/shop/pods/x", isAllowed: true },
    { rule: pods, request: "GET /api/v1/namespaces/shop/pods/x/log", isAllowed: false },
    { rule: { ...pods, resources: ["pods/log"] }, request: "GET /api/v1/namespaces/shop/pods/x/log", isAllowed: true },
    { rule: { ...pods, resources: ["*/log"] }, request: "GET /api/v1/namespaces/shop/pods/x/log", isAllowed: true },
    { rule: { ...pods, resources: ["*/log"] }, request: "GET /api/v1/namespaces/shop/pods/x", isAllowed: false },
    { rule: { ...pods, resources: ["*"] }, request: "GET /api/v1/namespaces/shop/pods/x/log", isAllowed: true },
    { rule: { ...pods, resourceNames: ["x"] }, request: "GET /api/v1/namespaces/shop/pods/x", isAllowed: true },
    { rule: { ...pods, resourceNames: ["x"] }, request: "GET /api/v1/namespaces/shop/pods/y", isAllowed: false },
    { rule: { ...pods, resourceNames: ["x"] }, request: "GET /api/v1/namespaces/shop/pods", isAllowed: false },
    {
      rule: { ...pods, resourceNames: ["x"] },
      request: "GET /api/v1/namespaces/shop/pods?fieldSelector=metadata.name%3Dx",
      isAllowed: true,
    },
    {
      rule: { ...pods, resourceNames: ["x"], verbs: ["watch"] },
      request: "GET /api/v1/namespaces/shop/pods?watch=1&fieldSelector=metadata.name=x",
      isAllowed: true,
    },
    {
      rule: { ...pods, resourceNames: ["x"] },
      request: "GET /api/v1/namespaces/shop/pods?fieldSelector=metadata.name!=x",
      isAllowed: false,
    },
    { rule: { ...pods, apiGroups: ["*"] }, request: "GET /apis/metrics.k8s.io/v1/pods", isAllowed: true },
    { rule: pods, request: "GET /apis/metrics.k8s.io/v1/pods", isAllowed: false },
    { rule: { nonResourceURLs: ["/healthz"], verbs: ["get"] }, request: "GET /healthz", isAllowed: true },
    { rule: { nonResourceURLs: ["/openapi/*"], verbs: ["get"] }, request: "GET /openapi/v3/apis", isAllowed: true },
    { rule: { nonResourceURLs: ["/openapi/*"], verbs: ["get"] }, request: "GET /openapi", isAllowed: false },
    { rule: { nonResourceURLs: ["*"], verbs: ["get"] }, request: "POST /healthz", isAllowed: false },
  ])("answers $isAllowed to $request under $rule", ({ rule, request, isAllowed }) => {
    const authorizer = authorizerWith(role({ name: "r", rules: [rule] }), binding("b", "ClusterRole/r", ["User/u"]));
    expect(ask(authorizer, user("u"), request).isAllowed).toBe(isAllowed);
  });

  it("follows every change of roles and bindings", () => {
    const everywhere = binding("b", "ClusterRole/r", ["User/u"]);
    const authorizer = authorizerWith(everywhere);
    const isAllowed = () => ask(authorizer, user("u"), "GET /api/v1/pods");
    expect(isAllowed()).toEqual({
      isAllowed: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "r" not found',
    });
    authorizer.put(role({ name: "r", rules: [pods] }));
    expect(isAllowed().isAllowed).toBe(true);
    authorizer.put(binding("b", "ClusterRole/r", ["User/other"]));
    expect(isAllowed()).toEqual({ isAllowed: false, reason: "" });
    authorizer.put(everywhere);
    authorizer.put(role({ name: "r", rules: [] }));
    expect(isAllowed().isAllowed).toBe(false);
    authorizer.put(role({ name: "r", rules: [pods] }));
    expect(isAllowed().isAllowed).toBe(true);
    authorizer.remove(everywhere);
    expect(isAllowed().isAllowed).toBe(false);
  });

  it("takes a Role from the namespace of the binding, and no ClusterRole in its place", () => {
    const here = binding("here", "Role/r", ["User/u"], "shop");
    const elsewhere = role({ name: "r", namespace: "bank", rules: [pods] });
    const authorizer = authorizerWith(here, elsewhere, role({ name: "r", rules: [pods] }));
    expect(ask(authorizer, user("u"), "GET /api/v1/namespaces/shop/pods")).toEqual({
      isAllowed: false,
      reason: 'RBAC: role.rbac.authorization.k8s.io "r" not found',
    });
    authorizer.put(role({ name: "r", namespace: "shop", rules: [pods] }));
    expect(ask(authorizer, user("u"), "GET /api/v1/namespaces/shop/pods").isAllowed).toBe(true);
    expect(ask(authorizer, user("u"), "GET /api/v1/namespaces/bank/pods").isAllowed).toBe(false);
    authorizer.remove(elsewhere);
    expect(ask(authorizer, user("u"), "GET /api/v1/namespaces/shop/pods").isAllowed).toBe(true);
    authorizer.remove(role({ name: "r", namespace: "shop" }));
    expect(ask(authorizer, user("u"), "GET /api/v1/namespaces/shop/pods").isAllowed).toBe(false);
  });

  it("continues after a binding that leads nowhere, and names all that do", () => {
    const authorizer = authorizerWith(
      binding("a", "ClusterRole/gone", ["User/u"]),
      binding("b", "Robot/odd", ["User/u"]),
      binding("c", "ClusterRole/r", ["User/u"]),
    );
    expect(ask(authorizer, user("u"), "GET /api/v1/pods").reason).toBe(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, unsupported role reference kind: "Robot", ' +
        'clusterrole.rbac.authorization.k8s.io "r" not found]',
    );
    authorizer.put(role({ name: "r", rules: [pods] }));
    expect(ask(authorizer, user("u"), "GET /api/v1/pods").isAllowed).toBe(true);
  });

  it("does not let a path be asked for by the rights of a namespace", () => {
    const urls = [{ nonResourceURLs: ["*"], verbs: ["get"] }];
    const authorizer = authorizerWith(
      role({ name: "r", rules: urls }),
      role({ name: "masters", rules: urls }),
      binding("here", "ClusterRole/r", ["User/u"], "shop"),
      binding("m", "ClusterRole/masters", ["User/system:masters"]),
    );
    expect(ask(authorizer, user("u"), "GET /healthz").isAllowed).toBe(false);
    expect(ask(authorizer, user("x", "system:master"), "GET /healthz").isAllowed).toBe(false);
  });

  it("lists what a user may do in a namespace, and which bindings lead nowhere", () => {
    const wide = { apiGroups: [""], resources: ["nodes"], verbs: ["get"] };
    const authorizer = authorizerWith(
      role({ name: "wide", rules: [wide] }),
      role({ name: "r", namespace: "shop", rules: [pods] }),
      binding("a", "ClusterRole/wide", ["User/u", "Group/g"]),
      binding("b", "Role/r", ["User/u"], "shop"),
      binding("c", "Role/gone", ["User/u"], "shop"),
    );
    const resourcesOf = (namespace: string | undefined) => {
      const { rules, errors } = authorizer.rulesFor(user("u", "g"), namespace);
      return [rules.map(({ resources }) => resources.join()), errors];
    };
    expect(resourcesOf("shop")).toEqual([["nodes", "pods"], ['role.rbac.authorization.k8s.io "gone" not found']]);
    expect(resourcesOf(undefined)).toEqual([["nodes"], []]);
    expect(authorizer.rulesOfRole({ kind: "Role", name: "r" }, "shop")).toHaveLength(1);
    expect(authorizer.rulesOfRole({ kind: "Role", name: "r" }, undefined)).toBeUndefined();
    expect(authorizer.rulesOfRole({ kind: "ClusterRole", name: "wide" }, "shop")).toHaveLength(1);
  });

  it("decides for one of ten thousand users without reading the others", () => {
    const bindings = Array.from({ length: 10_000 }, (_, index) =>
      binding(`b${index}`, "ClusterRole/r", [`User/u${index}`], "shop"),
    );
    const authorizer = authorizerWith(role({ name: "r", rules: [pods] }), ...bindings);
    const askAll = (): void => {
      for (let round = 0; round < 1000; round++)
        expect(ask(authorizer, user(`u${round}`), "GET /api/v1/namespaces/shop/pods").isAllowed).toBe(true);
    };
    // A scan of all bindings would take seconds.
    expect(leastCpuMs(askAll, 1000)).toBeLessThan(1000);
  });
});

describe("requestForbidden", () => {
  it.each([
    {
      request: "GET /api/v1/namespaces/default/pods/x",
      message: 'pods "x" is forbidden: User "u" cannot get resource "pods" in API group "" in the namespace "default"',
      details: { name: "x", kind: "pods" },
    },
    {
      request: "GET /apis/apps/v1/namespaces/a/deployments/x/scale",
      message:
        'deployments.apps "x" is forbidden: User "u" cannot get resource "deployments/scale" in API group "apps" in the namespace "a"',
      details: { name: "x", group: "apps", kind: "deployments" },
    },
    {
      request: "GET /api/v1/nodes",
      message: 'nodes is forbidden: User "u" cannot list resource "nodes" in API group "" at the cluster scope',
      details: { kind: "nodes" },
    },
    {
      request: "GET /api/v1/namespaces/default",
      message:
        'namespaces "default" is forbidden: User "u" cannot get resource "namespaces" in API group "" in the namespace "default"',
      details: { name: "default", kind: "namespaces" },
    },
    { request: "GET /foo", message: 'forbidden: User "u" cannot get path "/foo"', details: {} },
  ])("words $request as kube-apiserver does", ({ request, message, details }) => {
    const attributes = attributesOf(request, user("u"));
    expect(requestForbidden(attributes, "").status).toMatchObject({ code: 403, reason: "Forbidden", message, details });
  });
});

describe("requestAttributes", () => {
  it.each([
    { request: "POST /api/v1/namespaces", verb: "create", resource: "namespaces" },
    { request: "PUT /api/v1/namespaces/a/finalize", verb: "update", resource: "namespaces", subresource: "finalize" },
    { request: "DELETE /api/v1/namespaces/a/pods", verb: "deletecollection", resource: "pods", namespace: "a" },
    { request: "PATCH /apis/x.io/v1/things/n/status", verb: "patch", resource: "things", subresource: "status" },
    { request: "GET /api/v1/watch/namespaces/a/pods", verb: "watch", resource: "pods", namespace: "a" },
    { request: "HEAD /api/v1/pods", verb: "list", resource: "pods" },
    { request: "GET /api/v1/pods?watch=false", verb: "list", resource: "pods" },
    { request: "GET /apis/apps/v1/", path: "/apis/apps/v1/", verb: "get" },
    { request: "GET /api", path: "/api", verb: "get" },
  ])("reads $request", ({ request, ...expected }) => {
    expect(attributesOf(request, user("u"))).toMatchObject(expected);
  });
});
