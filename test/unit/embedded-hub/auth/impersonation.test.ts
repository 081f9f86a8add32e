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
      // The bytes of "müller" and "größe".
      headers: ["Impersonate-User", "m\u00c3\u00bcller", "Impersonate-Group", "gr\u00c3\u00b6\u00c3\u009fe"],
      expected: { username: "müller", groups: ["größe", "system:authenticated"] },
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

describe("the headers of an impersonation", () => {
  const act = (...headers: string[]) => impersonate(headers, root, authorizerWith());

  it("name one user and one uid: the first", () => {
    const acting = act(
      "Impersonate-User",
      "a",
      "Impersonate-User",
      "b",
      "Impersonate-Uid",
      "1",
      "Impersonate-Uid",
      "2",
    );
    expect(acting).toEqual({ username: "a", uid: "1", groups: ["system:authenticated"] });
  });

  it("put a service account into the groups they name, not into its own", () => {
    expect(act("Impersonate-User", "system:serviceaccount:shop:bot", "Impersonate-Group", "g").groups).toEqual([
      "g",
      "system:authenticated",
    ]);
  });

  it.each([
    { username: "b", groups: ["system:authenticated", "x"], expected: ["system:authenticated", "x"] },
    { username: "b", groups: ["system:unauthenticated"], expected: ["system:unauthenticated"] },
    { username: "system:anonymous", groups: ["x"], expected: ["x", "system:unauthenticated"] },
    { username: "system:anonymous", groups: ["system:unauthenticated"], expected: ["system:unauthenticated"] },
  ])("put $username of $groups into $expected", ({ username, groups, expected }) => {
    const headers = groups.flatMap((group) => ["Impersonate-Group", group]);
    expect(act("Impersonate-User", username, ...headers).groups).toEqual(expected);
  });

  it("give an extra with a malformed escape the key as it is written", () => {
    expect(act("Impersonate-User", "b", "Impersonate-Extra-a%zz", "1").extra).toEqual({ "a%zz": ["1"] });
  });

  it.each([
    {
      headers: ["Impersonate-Group", "g"],
      requested: "{Group  g    }",
    },
    {
      headers: ["Impersonate-Uid", "7"],
      requested: "{UID  7  authentication.k8s.io/v1  }",
    },
    {
      headers: ["Impersonate-Extra-Scopes", "all", "Impersonate-Group", "g"],
      requested: "{Group  g    } {UserExtra  all  authentication.k8s.io/v1  scopes}",
    },
    {
      headers: ["Impersonate-Extra-Scopes", "all"],
      requested: "{UserExtra  all  authentication.k8s.io/v1  scopes}",
    },
    {
      headers: ["Impersonate-User", "", "Impersonate-Group", "g"],
      requested: "{Group  g    }",
    },
  ])("are refused without a user: $headers", ({ headers, requested }) => {
    expect(() => act(...headers)).toThrow(`requested [${requested}] without impersonating a user`);
  });

  it("are checked each on its own: user, every group, uid and every extra", () => {
    const parts = ["users/bob", "groups/a", "groups/b", "uids/7", "userextras/scopes/x", "userextras/scopes/y"];
    const ruleOf = (part: string) => {
      const [resource = "", ...rest] = part.split("/");
      const name = rest.at(-1) ?? "";
      const apiGroup = resource === "uids" || resource === "userextras" ? "authentication.k8s.io" : "";
      const resources = [rest.length === 2 ? `${resource}/${rest[0] ?? ""}` : resource];
      return { apiGroups: [apiGroup], resources, resourceNames: [name], verbs: ["impersonate"] };
    };
    const headers = [
      ...["Impersonate-User", "bob", "Impersonate-Group", "a", "Impersonate-Group", "b", "Impersonate-Uid", "7"],
      ...["Impersonate-Extra-Scopes", "x", "Impersonate-Extra-Scopes", "y"],
    ];
    const mayWith = (held: readonly string[]) => {
      const grant = binding("b", "ClusterRole/r", ["User/anna"]);
      const authorizer = authorizerWith(role({ name: "r", rules: held.map(ruleOf) }), grant);
      try {
        return impersonate(headers, anna, authorizer).username === "bob";
      } catch {
        return false;
      }
    };
    expect(mayWith(parts)).toBe(true);
    for (const left of parts) expect([left, mayWith(parts.filter((part) => part !== left))]).toEqual([left, false]);
  });

  it("of an account are checked in its namespace", () => {
    const rules = [{ apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"] }];
    const here = binding("b", "Role/r", ["User/anna"], "shop");
    const authorizer = authorizerWith(role({ name: "r", namespace: "shop", rules }), here);
    const actAs = (username: string) => impersonate(["Impersonate-User", username], anna, authorizer).username;
    expect(actAs("system:serviceaccount:shop:bot")).toBe("system:serviceaccount:shop:bot");
    expect(() => actAs("system:serviceaccount:bank:bot")).toThrow('in the namespace "bank"');
  });
});
