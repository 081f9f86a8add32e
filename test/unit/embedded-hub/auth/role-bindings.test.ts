import { describe, expect, it } from "vitest";
import { createBindingIndex, describeBinding, readBinding } from "../../../../src/embedded-hub/auth/role-bindings.ts";
import type { BindingIndex } from "../../../../src/embedded-hub/auth/role-bindings.ts";
import type { UserInfo } from "../../../../src/embedded-hub/auth/auth.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { binding, user } from "./auth-builders.ts";

const everywhere = binding("everywhere", "ClusterRole/r", ["User/anna", "Group/ops"]);
const inShop = binding("in-shop", "Role/r", ["User/anna"], "shop");
const inBank = binding("in-bank", "Role/r", ["User/anna"], "bank");

function read(object: KubeObject) {
  const found = readBinding(object);
  if (found === undefined) throw new Error("no binding");
  return found;
}

function indexOf(...objects: readonly KubeObject[]): BindingIndex {
  const index = createBindingIndex();
  for (const object of objects) index.add(object.metadata.name, read(object));
  return index;
}

function namesOf(index: BindingIndex, who: UserInfo, namespace?: string): string[] {
  return [...index.of(who, namespace)].map(({ name }) => name);
}

describe("createBindingIndex", () => {
  it("gives those of the cluster first, then those of the namespace", () => {
    const index = indexOf(inShop, inBank, everywhere);
    expect(namesOf(index, user("anna"), "shop")).toEqual(["everywhere", "in-shop"]);
    expect(namesOf(index, user("anna"), "bank")).toEqual(["everywhere", "in-bank"]);
    expect(namesOf(index, user("anna"), "other")).toEqual(["everywhere"]);
  });

  it("gives those of the cluster alone without a namespace", () => {
    const index = indexOf(inShop, inBank, everywhere);
    expect(namesOf(index, user("anna"))).toEqual(["everywhere"]);
    expect(namesOf(index, user("anna"), "")).toEqual(["everywhere"]);
    expect(namesOf(indexOf(inShop), user("anna"), "")).toEqual([]);
  });

  it("distinguishes users from groups of the same name", () => {
    const index = indexOf(everywhere);
    expect(namesOf(index, user("x", "ops"))).toEqual(["everywhere"]);
    expect(namesOf(index, user("ops"))).toEqual([]);
    expect(namesOf(index, user("x", "anna"))).toEqual([]);
  });

  it("gives a binding once for a group that is named twice", () => {
    expect(namesOf(indexOf(everywhere), user("x", "ops", "ops"))).toEqual(["everywhere"]);
  });

  it("forgets what is removed, and nothing else", () => {
    const second = binding("second", "ClusterRole/r", ["User/anna"]);
    const index = indexOf(everywhere, second, inShop);
    index.remove("everywhere");
    expect(namesOf(index, user("anna"), "shop")).toEqual(["second", "in-shop"]);
    expect(namesOf(index, user("x", "ops"))).toEqual([]);
    index.remove("second");
    expect(namesOf(index, user("anna"), "shop")).toEqual(["in-shop"]);
    index.remove("in-shop");
    index.remove("unknown");
    expect(namesOf(index, user("anna"), "shop")).toEqual([]);
    index.add("in-shop", read(inShop));
    expect(namesOf(index, user("anna"), "shop")).toEqual(["in-shop"]);
  });
});

describe("readBinding", () => {
  it("reads bindings alone", () => {
    expect(readBinding({ ...everywhere, kind: "ClusterRole" })).toBeUndefined();
    expect(readBinding(everywhere)).toMatchObject({ kind: "ClusterRoleBinding", namespace: "", name: "everywhere" });
    expect(readBinding(inShop)).toMatchObject({
      kind: "RoleBinding",
      namespace: "shop",
      role: { kind: "Role", name: "r" },
    });
  });

  it.each([
    {
      subject: "ServiceAccount/bank/bot",
      who: "system:serviceaccount:bank:bot",
      description: 'ServiceAccount "bot/bank"',
    },
    { subject: "ServiceAccount/bot", who: "system:serviceaccount:shop:bot", description: 'ServiceAccount "bot/shop"' },
    { subject: "User/anna", who: "anna", description: 'User "anna"' },
  ])("means $who by $subject in a namespace", ({ subject, who, description }) => {
    const object = binding("b", "Role/r", [subject], "shop");
    expect(namesOf(indexOf(object), user(who), "shop")).toEqual(["b"]);
    expect(describeBinding(read(object), user(who))).toBe(`RoleBinding "b/shop" of Role "r" to ${description}`);
  });

  it("takes an account without a namespace, or a subject of another kind, for no subject", () => {
    const object = binding("b", "ClusterRole/r", ["ServiceAccount/bot", "Robot/anna", "Group/ops"]);
    expect(read(object).subjects.map(({ key }) => key)).toEqual([undefined, undefined, "Group/ops"]);
    const index = indexOf(object);
    for (const name of ["anna", "bot", "system:serviceaccount::bot", "system:serviceaccount:undefined:bot"]) {
      expect(namesOf(index, user(name))).toEqual([]);
    }
    expect(describeBinding(read(object), user("x", "ops"))).toBe(
      'ClusterRoleBinding "b" of ClusterRole "r" to Group "ops"',
    );
    index.remove("b");
    expect(namesOf(index, user("x", "ops"))).toEqual([]);
  });
});
