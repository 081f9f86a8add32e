import { describe, expect, it } from "vitest";
import { defaultRbacObjects } from "../../../../src/embedded-hub/auth/default-roles.ts";
import { rulesOf } from "../../../../src/embedded-hub/auth/rbac-rules.ts";
import type { RequestAttributes } from "../../../../src/embedded-hub/auth/auth.ts";
import { authorizerWith, binding, user } from "./auth-builders.ts";

const objects = defaultRbacObjects();

describe("defaultRbacObjects", () => {
  it("are those of a new Kubernetes 1.34", () => {
    const count = (kind: string) => [kind, objects.filter((object) => object.kind === kind).length];
    const kinds = new Set(objects.map((object) => object.kind));
    expect(Object.fromEntries([...kinds].map(count))).toEqual({
      ClusterRole: 68,
      ClusterRoleBinding: 49,
      Role: 7,
      RoleBinding: 7,
    });
    expect(new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}`)).size).toBe(
      131,
    );
  });

  it("gather view into edit and edit into admin", () => {
    const [view, edit, admin] = ["view", "edit", "admin"].map((name) =>
      rulesOf(objects.find((object) => object.kind === "ClusterRole" && object.metadata.name === name)),
    );
    expect(view?.length).toBeGreaterThan(10);
    expect(edit).toEqual(expect.arrayContaining([...(view ?? [])]));
    expect(admin).toEqual(expect.arrayContaining([...(edit ?? [])]));
  });

  it.each<{ who: string; groups: string[]; path: string; isAllowed: boolean }>([
    { who: "system:anonymous", groups: ["system:unauthenticated"], path: "/version", isAllowed: true },
    { who: "system:anonymous", groups: ["system:unauthenticated"], path: "/readyz", isAllowed: true },
    { who: "system:anonymous", groups: ["system:unauthenticated"], path: "/api", isAllowed: false },
    { who: "anna", groups: ["system:authenticated"], path: "/openapi/v3", isAllowed: true },
    { who: "anna", groups: ["system:authenticated"], path: "/metrics", isAllowed: false },
    { who: "anna", groups: ["system:serviceaccounts"], path: "/openid/v1/jwks", isAllowed: true },
  ])("answer $isAllowed to $who in $groups for $path", ({ who, groups, path, isAllowed }) => {
    const attributes = { kind: "path", user: user(who, ...groups), verb: "get", path } as const;
    expect(authorizerWith(...objects).authorize(attributes).isAllowed).toBe(isAllowed);
  });

  it("keep secrets out of view, and roles out of edit", () => {
    const authorizer = authorizerWith(
      ...objects,
      binding("v", "ClusterRole/view", ["User/v"], "shop"),
      binding("e", "ClusterRole/edit", ["User/e"], "shop"),
      binding("a", "ClusterRole/admin", ["User/a"], "shop"),
    );
    const may = (who: string, verb: string, resource: string, group = "") => {
      const base = { kind: "resource", version: "v1", namespace: "shop" } as const;
      const attributes: RequestAttributes = { ...base, user: user(who), verb, resource, group };
      return authorizer.authorize(attributes).isAllowed;
    };
    expect([may("v", "get", "configmaps"), may("v", "get", "secrets")]).toEqual([true, false]);
    expect([may("e", "get", "secrets"), may("e", "create", "roles", "rbac.authorization.k8s.io")]).toEqual([
      true,
      false,
    ]);
    expect(may("a", "create", "roles", "rbac.authorization.k8s.io")).toBe(true);
  });

  it("bind accounts of controllers, users, groups, and no subject to system:node", () => {
    const subjectsOf = (kind: string, name: string, namespace?: string) => {
      const found = objects.find(
        ({ kind: ofKind, metadata }) => ofKind === kind && metadata.name === name && metadata.namespace === namespace,
      );
      return found?.["subjects"];
    };
    const apiGroup = "rbac.authorization.k8s.io";
    const scheduler = { apiGroup, kind: "User", name: "system:kube-scheduler" };
    expect(subjectsOf("ClusterRoleBinding", "cluster-admin")).toEqual([
      { apiGroup, kind: "Group", name: "system:masters" },
    ]);
    expect(subjectsOf("ClusterRoleBinding", "system:kube-scheduler")).toEqual([scheduler]);
    expect(subjectsOf("ClusterRoleBinding", "system:controller:node-controller")).toEqual([
      { kind: "ServiceAccount", name: "node-controller", namespace: "kube-system" },
    ]);
    expect(subjectsOf("ClusterRoleBinding", "system:node")).toBeUndefined();
    expect(subjectsOf("RoleBinding", "system::leader-locking-kube-scheduler", "kube-system")).toEqual([
      scheduler,
      { kind: "ServiceAccount", name: "kube-scheduler", namespace: "kube-system" },
    ]);
  });

  it("have an aggregation rule where roles of users gather others, and none elsewhere", () => {
    const aggregating = objects.filter((object) => object["aggregationRule"] !== undefined);
    expect(aggregating.map(({ metadata }) => metadata.name)).toEqual(["admin", "edit", "view"]);
    expect(aggregating.at(-1)?.["aggregationRule"]).toEqual({
      clusterRoleSelectors: [{ matchLabels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } }],
    });
  });

  it("have each rule once, and names of resources only where a rule has them", () => {
    const ofRole = (name: string) =>
      objects.find(({ metadata, kind }) => kind === "ClusterRole" && metadata.name === name);
    const admin = (ofRole("admin")?.["rules"] as object[]).map((rule) => JSON.stringify(rule));
    expect(new Set(admin).size).toBe(admin.length);
    expect(ofRole("cluster-admin")?.["rules"]).toEqual([
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ]);
    const reader = objects.find(({ metadata }) => metadata.name === "extension-apiserver-authentication-reader");
    expect(reader?.["rules"]).toEqual([
      {
        verbs: ["get", "list", "watch"],
        apiGroups: [""],
        resources: ["configmaps"],
        resourceNames: ["extension-apiserver-authentication"],
      },
    ]);
  });
});
