import { describe, expect, it } from "vitest";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import { checkEscalation } from "../../../../src/embedded-hub/auth/rbac-escalation.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { authorizerWith, binding, role, user } from "./auth-builders.ts";

const pods = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };
const secrets = { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] };
const anna = user("anna", "team", "system:authenticated");

function refusal(extra: readonly KubeObject[], object: KubeObject, old?: KubeObject, who = anna): string | undefined {
  const authorizer = authorizerWith(
    role({ name: "viewer", rules: [pods] }),
    binding("viewers", "ClusterRole/viewer", ["User/anna"]),
    ...extra,
  );
  try {
    checkEscalation({ authorizer, user: who, object, requestName: "", ...(old === undefined ? {} : { old }) });
    return undefined;
  } catch (error) {
    if (isApiFailure(error)) return error.status.message;
    throw error;
  }
}

describe("checkEscalation", () => {
  it("lets a user grant what the user holds, and nothing more", () => {
    expect(refusal([], role({ name: "new", namespace: "shop", rules: [{ ...pods, verbs: ["get"] }] }))).toBeUndefined();
    expect(refusal([], role({ name: "new", namespace: "shop", rules: [pods, secrets] }))).toBe(
      'roles.rbac.authorization.k8s.io "new" is forbidden: user "anna" (groups=["team" "system:authenticated"]) is ' +
        "attempting to grant RBAC permissions not currently held:\n" +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
    );
  });

  it("counts a right on all names as one on each, never the other way round", () => {
    const named = { ...pods, resourceNames: ["a"] };
    expect(refusal([], role({ name: "new", rules: [named] }))).toBeUndefined();
    const bob = user("bob");
    const given = [role({ name: "one", rules: [named] }), binding("b", "ClusterRole/one", ["User/bob"])];
    expect(refusal(given, role({ name: "new", rules: [pods] }), undefined, bob)).toContain("not currently held");
  });

  it("lets the verb escalate write any role, and bind any binding of the roles it names", () => {
    const allowed = { apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterroles"] };
    const escalate = role({ name: "esc", rules: [{ ...allowed, verbs: ["escalate"] }] });
    const bind = role({ name: "bind", rules: [{ ...allowed, verbs: ["bind"], resourceNames: ["top"] }] });
    const top = role({ name: "top", rules: [secrets] });
    const grant = (name: string) => binding(`${name}-anna`, `ClusterRole/${name}`, ["User/anna"]);
    expect(refusal([escalate, grant("esc")], top)).toBeUndefined();
    expect(refusal([top], binding("new", "ClusterRole/top", ["User/x"]))).toContain(
      'clusterrolebindings.rbac.authorization.k8s.io "new" is forbidden: user "anna"',
    );
    expect(refusal([top, bind, grant("bind")], binding("new", "ClusterRole/top", ["User/x"]))).toBeUndefined();
    expect(refusal([top, bind, grant("bind")], binding("new", "ClusterRole/top", ["User/x"], "shop"))).toBeUndefined();
  });

  it.each([
    { role: "Role/nope", namespace: "shop", expected: 'rolebindings.rbac.authorization.k8s.io "nope" not found' },
    {
      role: "ClusterRole/nope",
      namespace: "shop",
      expected: 'rolebindings.rbac.authorization.k8s.io "nope" not found',
    },
    { role: "ClusterRole/nope", expected: 'clusterrolebindings.rbac.authorization.k8s.io "nope" not found' },
    { role: "Role/nope", expected: "Namespace parameter required." },
    { role: "Role/", namespace: "shop", expected: "Name parameter required." },
    { role: "Other/nope", namespace: "shop", expected: 'unsupported role reference kind: "Other"' },
  ])("refuses a binding of a role that is not there: $role in $namespace", ({ role: ref, namespace, expected }) => {
    expect(refusal([], binding("new", ref, ["User/x"], namespace))).toBe(expected);
  });

  it("wants full authority for an aggregation rule, also to take one away", () => {
    const aggregating = {
      ...role({ name: "agg" }),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
    };
    const message =
      'clusterroles.rbac.authorization.k8s.io "agg" is forbidden: must have cluster-admin privileges to use the aggregationRule';
    expect(refusal([], aggregating)).toBe(message);
    expect(refusal([], role({ name: "agg" }), aggregating)).toBe(message);
  });

  it("lets the garbage collector change owners and finalizers of a role it could not grant", () => {
    const old = role({ name: "big", rules: [secrets] });
    const changed = { ...old, metadata: { ...old.metadata, finalizers: ["x/y"] } };
    expect(refusal([], changed, old)).toBeUndefined();
    expect(refusal([], { ...changed, rules: [secrets, pods] }, old)).toContain("not currently held");
  });

  it("does not hold system:masters back", () => {
    expect(
      refusal([], role({ name: "new", rules: [secrets] }), undefined, user("x", "system:masters")),
    ).toBeUndefined();
  });
});

describe("the verbs escalate and bind", () => {
  const group = "rbac.authorization.k8s.io";
  const verb = (name: string, resource: string, resourceNames: readonly string[] = []) => ({
    ...{ apiGroups: [group], resources: [resource], verbs: [name] },
    ...(resourceNames.length === 0 ? {} : { resourceNames: [...resourceNames] }),
  });
  const everywhere = (rule: ReturnType<typeof verb>) => [
    role({ name: "extra", rules: [rule] }),
    binding("extra", "ClusterRole/extra", ["User/anna"]),
  ];
  const inShop = (rule: ReturnType<typeof verb>) => [
    role({ name: "extra", namespace: "shop", rules: [rule] }),
    binding("extra", "Role/extra", ["User/anna"], "shop"),
  ];
  const held = "not currently held";

  it.each([
    { reason: "in the namespace", extra: inShop(verb("escalate", "roles")), namespace: "shop", refused: undefined },
    { reason: "in another namespace", extra: inShop(verb("escalate", "roles")), namespace: "bank", refused: held },
    {
      reason: "for the cluster's roles",
      extra: everywhere(verb("escalate", "clusterroles")),
      namespace: "shop",
      refused: held,
    },
    { reason: "everywhere", extra: everywhere(verb("escalate", "roles")), namespace: "shop", refused: undefined },
    { reason: "bind alone", extra: everywhere(verb("bind", "roles")), namespace: "shop", refused: held },
  ])("of a Role: $reason", ({ extra, namespace, refused }) => {
    const answer = refusal(extra, role({ name: "new", namespace, rules: [secrets] }));
    if (refused === undefined) expect(answer).toBeUndefined();
    else expect(answer).toContain(refused);
  });

  it("may name the role that is updated", () => {
    const old = role({ name: "top", rules: [pods] });
    const update = (requestName: string) => {
      const authorizer = authorizerWith(...everywhere(verb("escalate", "clusterroles", ["top"])));
      const object = role({ name: "top", rules: [secrets] });
      checkEscalation({ authorizer, user: anna, object, old, requestName });
    };
    expect(() => update("top")).not.toThrow();
    expect(() => update("")).toThrow(held);
  });

  const roles = [role({ name: "r", namespace: "shop", rules: [secrets] }), role({ name: "r", rules: [secrets] })];
  it.each([
    { may: "bind roles", extra: inShop(verb("bind", "roles")), roleRef: "Role/r", refused: undefined },
    { may: "bind another role", extra: inShop(verb("bind", "roles", ["x"])), roleRef: "Role/r", refused: held },
    { may: "bind clusterroles", extra: inShop(verb("bind", "clusterroles")), roleRef: "Role/r", refused: held },
    { may: "bind roles", extra: inShop(verb("bind", "roles")), roleRef: "ClusterRole/r", refused: held },
    {
      may: "bind clusterroles",
      extra: inShop(verb("bind", "clusterroles")),
      roleRef: "ClusterRole/r",
      refused: undefined,
    },
    { may: "escalate roles", extra: inShop(verb("escalate", "roles")), roleRef: "Role/r", refused: held },
  ])("of a binding of $roleRef in a namespace: $may", ({ extra, roleRef, refused }) => {
    const answer = refusal([...roles, ...extra], binding("new", roleRef, ["User/x"], "shop"));
    if (refused === undefined) expect(answer).toBeUndefined();
    else expect(answer).toContain(refused);
  });

  it("count in the namespace of the binding, not in another one", () => {
    const may = inShop(verb("bind", "clusterroles"));
    expect(refusal([...roles, ...may], binding("new", "ClusterRole/r", ["User/x"], "bank"))).toContain(held);
    expect(refusal([...roles, ...may], binding("new", "ClusterRole/r", ["User/x"]))).toContain(held);
  });
});

describe("what a change of a role or a binding grants", () => {
  it("lets a user bind what the user holds", () => {
    expect(refusal([], binding("new", "ClusterRole/viewer", ["User/x"]))).toBeUndefined();
    expect(refusal([], binding("new", "ClusterRole/viewer", ["User/x"], "shop"))).toBeUndefined();
    const namespaced = role({ name: "r", namespace: "shop", rules: [pods] });
    expect(refusal([namespaced], binding("new", "Role/r", ["User/x"], "shop"))).toBeUndefined();
  });

  it("counts rights of a namespace there alone", () => {
    const bob = user("bob");
    const here = [role({ name: "r", namespace: "shop", rules: [pods] }), binding("b", "Role/r", ["User/bob"], "shop")];
    expect(refusal(here, role({ name: "new", namespace: "shop", rules: [pods] }), undefined, bob)).toBeUndefined();
    expect(refusal(here, role({ name: "new", namespace: "bank", rules: [pods] }), undefined, bob)).toBeDefined();
    expect(refusal(here, role({ name: "new", rules: [pods] }), undefined, bob)).toBeDefined();
  });

  it.each([
    { change: "finalizers", metadata: { finalizers: ["x/y"] } },
    { change: "ownerReferences", metadata: { ownerReferences: [] } },
    { change: "managedFields", metadata: { managedFields: [] } },
    { change: "resourceVersion", metadata: { resourceVersion: "7" } },
  ])("is nothing for a change of $change alone", ({ metadata }) => {
    const old = role({ name: "big", rules: [secrets] });
    expect(refusal([], { ...old, metadata: { ...old.metadata, ...metadata } }, old)).toBeUndefined();
    const bound = binding("b", "ClusterRole/big", ["User/x"]);
    expect(refusal([old], { ...bound, metadata: { ...bound.metadata, ...metadata } }, bound)).toBeUndefined();
  });

  it("is checked again for any other change", () => {
    const old = role({ name: "big", rules: [secrets] });
    const labelled = { ...old, metadata: { ...old.metadata, labels: { a: "b" } } };
    expect(refusal([], labelled, old)).toContain("not currently held");
    const bound = binding("b", "ClusterRole/big", ["User/x"]);
    expect(refusal([old], binding("b", "ClusterRole/big", ["User/x", "User/y"]), bound)).toContain(
      "not currently held",
    );
  });

  it("lets full authority aggregate, and asks it for ClusterRoles alone", () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] };
    const admin = [
      role({
        name: "all",
        rules: [
          { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
          { nonResourceURLs: ["*"], verbs: ["*"] },
        ],
      }),
      binding("all", "ClusterRole/all", ["User/anna"]),
    ];
    const most = [
      role({ name: "most", rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "create", "update"] }] }),
      binding("most", "ClusterRole/most", ["User/anna"]),
    ];
    const aggregating = { ...role({ name: "agg" }), aggregationRule };
    expect(refusal(admin, aggregating)).toBeUndefined();
    expect(refusal(most, aggregating)).toContain("must have cluster-admin privileges");
    expect(refusal([], { ...role({ name: "agg", namespace: "shop" }), aggregationRule })).toBeUndefined();
    expect(refusal([], { ...role({ name: "agg" }), aggregationRule: { clusterRoleSelectors: [] } })).toBeUndefined();
  });

  it("names the bindings of the user that lead nowhere", () => {
    const dangling = binding("d", "ClusterRole/gone", ["User/anna"]);
    expect(refusal([dangling], role({ name: "new", rules: [secrets] }))).toMatch(
      /; resolution errors: \[clusterrole\.rbac\.authorization\.k8s\.io "gone" not found\]$/u,
    );
  });

  it("is listed once for each thing, verbs together, in order", () => {
    const wanted = role({ name: "new", rules: [{ nonResourceURLs: ["/x"], verbs: ["get"] }, secrets, secrets] });
    expect(refusal([], wanted)?.split("\n").slice(1)).toEqual([
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "get" "list"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
    ]);
  });
});
