import { describe, expect, it } from "vitest";
import { impersonate } from "../../../../src/embedded-hub/auth/impersonation.ts";
import { authorizerWith, binding, role, user } from "./auth-builders.ts";

const root = user("root", "system:masters");
const anna = user("anna");

describe("impersonate", () => {
  it("changes nothing without headers", () => {
    expect(impersonate(["Accept", "*/*"], anna, authorizerWith())).toBe(anna);
  });

  it.each([
    {
      headers: ["Impersonate-User", "bob"],
      expected: { username: "bob", groups: ["system:authenticated"] },
    },
    {
      headers: ["Impersonate-User", "bob", "impersonate-group", "a", "Impersonate-Group", "b"],
      expected: { username: "bob", groups: ["a", "b", "system:authenticated"] },
    },
    {
      headers: ["Impersonate-User", "system:serviceaccount:shop:bot"],
      expected: {
        username: "system:serviceaccount:shop:bot",
        groups: ["system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"],
      },
    },
    {
      headers: ["Impersonate-User", "system:anonymous"],
      expected: { username: "system:anonymous", groups: ["system:unauthenticated"] },
    },
    {
      headers: [
        "Impersonate-User",
        "b",
        "Impersonate-Uid",
        "7",
        "Impersonate-Extra-Acme.io%2Fx",
        "1",
        "Impersonate-Extra-acme.io%2fx",
        "2",
      ],
      expected: { username: "b", uid: "7", groups: ["system:authenticated"], extra: { "acme.io/x": ["1", "2"] } },
    },
  ])("acts as $expected.username for $headers", ({ headers, expected }) => {
    expect(impersonate(headers, root, authorizerWith())).toEqual(expected);
  });

  it("refuses each part that the user may not impersonate", () => {
    const may = (resource: string, apiGroups = [""]) => ({ apiGroups, resources: [resource], verbs: ["impersonate"] });
    const authorizer = authorizerWith(
      role({ name: "r", rules: [{ ...may("users"), resourceNames: ["bob"] }, may("groups")] }),
      binding("b", "ClusterRole/r", ["User/anna"]),
    );
    const act = (...headers: string[]) => impersonate(headers, anna, authorizer);
    expect(act("Impersonate-User", "bob", "Impersonate-Group", "g").username).toBe("bob");
    expect(() => act("Impersonate-User", "carl")).toThrow(
      'users "carl" is forbidden: User "anna" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
    expect(() => act("Impersonate-User", "system:serviceaccount:shop:bot")).toThrow(
      'serviceaccounts "bot" is forbidden: User "anna" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "shop"',
    );
    expect(() => act("Impersonate-User", "bob", "Impersonate-Extra-Scopes", "all")).toThrow(
      'userextras.authentication.k8s.io "all" is forbidden: User "anna" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
    );
    expect(() => act("Impersonate-Group", "g")).toThrow("without impersonating a user");
  });
});
