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

  it("answers 404 to a binding of a role that is not there", () => {
    expect(refusal([], binding("new", "Role/nope", ["User/x"], "shop"))).toBe(
      'role.rbac.authorization.k8s.io "nope" not found',
    );
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
