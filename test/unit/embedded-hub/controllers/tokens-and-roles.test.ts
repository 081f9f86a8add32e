import { describe, expect, it } from "vitest";
import { createAuthenticator } from "../../../../src/embedded-hub/auth/authenticator.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { hubKey, refusalOf, startHubWorld } from "./hub-world.ts";
import type { HubWorld } from "./hub-world.ts";

const tokenType = "kubernetes.io/service-account-token";

function tokenSecret(account: string): KubeObject {
  const annotations = { "kubernetes.io/service-account.name": account };
  return { apiVersion: "v1", kind: "Secret", metadata: { name: "t", namespace: "shop", annotations }, type: tokenType };
}

function account(name: string): KubeObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: "shop" } };
}

async function whoIs(world: HubWorld, token: string): Promise<string> {
  const authenticator = createAuthenticator({
    issuer: "https://hub",
    keys: [hubKey],
    nowMs: () => world.clock.nowMs(),
    read: ({ plural, namespace, name }) => world.get(plural, name, namespace),
  });
  const outcome = authenticator.authenticate({ authorization: `Bearer ${token}` });
  return outcome.kind === "user" ? outcome.user.username : outcome.reason;
}

const textOf = (secret: KubeObject | undefined, key: string) =>
  Buffer.from((secret?.["data"] as Record<string, string> | undefined)?.[key] ?? "", "base64").toString();

describe("a Secret of type service-account-token", () => {
  it("is filled with a token that works, the CA and the namespace", async () => {
    const world = await startHubWorld();
    await world.create(account("bot"));
    await world.create(tokenSecret("bot"));
    await world.settle();
    const secret = world.get("secrets", "t");
    expect([textOf(secret, "ca.crt"), textOf(secret, "namespace")]).toEqual(["the CA\n", "shop"]);
    expect(secret?.metadata.annotations?.["kubernetes.io/service-account.uid"]).toBe(
      world.get("serviceaccounts", "bot")?.metadata.uid,
    );
    expect(await whoIs(world, textOf(secret, "token"))).toBe("system:serviceaccount:shop:bot");
  });

  it("is deleted when it is of an earlier account of the name", async () => {
    const world = await startHubWorld();
    await world.create(account("bot"));
    const { metadata, ...secret } = tokenSecret("bot");
    const annotations = { ...metadata.annotations, "kubernetes.io/service-account.uid": "of-an-earlier-one" };
    await world.create({ ...secret, metadata: { ...metadata, annotations } });
    await world.settle();
    expect(world.get("secrets", "t")).toBeUndefined();
  });

  it("is deleted with its account, and its token with it", async () => {
    const world = await startHubWorld();
    await world.create(account("bot"));
    await world.create(tokenSecret("bot"));
    await world.settle();
    const token = textOf(world.get("secrets", "t"), "token");
    await world.remove("serviceaccounts", "bot");
    await world.settle();
    expect(world.get("secrets", "t")).toBeUndefined();
    expect(await whoIs(world, token)).toContain("Token has been invalidated");
  });

  it("is deleted when its account does not exist", async () => {
    const world = await startHubWorld();
    await world.create(tokenSecret("nobody"));
    await world.settle();
    expect(world.get("secrets", "t")).toBeUndefined();
  });

  it("is taken out of its account's list when it is deleted", async () => {
    const world = await startHubWorld();
    await world.create({ ...account("bot"), secrets: [{ name: "t" }, { name: "other" }] });
    await world.create(tokenSecret("bot"));
    await world.settle();
    await world.remove("secrets", "t");
    await world.settle();
    expect(world.get("serviceaccounts", "bot")?.["secrets"]).toEqual([{ name: "other" }]);
  });
});

describe("a bootstrap token", () => {
  const secret = (name: string, expiration: string): KubeObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "kube-system" },
    type: "bootstrap.kubernetes.io/token",
    data: { expiration: Buffer.from(expiration).toString("base64") },
  });

  it("is deleted when its time is over, or cannot be read", async () => {
    const world = await startHubWorld();
    const soon = new Date(world.clock.nowMs() + 3_600_000).toISOString();
    await world.create(secret("bootstrap-token-aaaaaa", soon));
    await world.create(secret("bootstrap-token-bbbbbb", "tomorrow"));
    await world.settle();
    expect(world.list("secrets", "kube-system").map(({ metadata }) => metadata.name)).toEqual([
      "bootstrap-token-aaaaaa",
    ]);
    await world.clock.advance(3_601_000);
    await world.settle();
    expect(world.list("secrets", "kube-system")).toEqual([]);
  });
});

describe("a ClusterRole with an aggregation rule", () => {
  const rule = (resource: string) => ({ apiGroups: ["example.com"], resources: [resource], verbs: ["get"] });
  const source = (name: string, labels: Record<string, string>, resource: string): KubeObject => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name, labels },
    rules: [rule(resource)],
  });

  it("follows the roles that it selects", async () => {
    const world = await startHubWorld();
    await world.create({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "all" },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { pick: "me" } }] },
      rules: [],
    });
    await world.create(source("b", { pick: "me" }, "bees"));
    await world.create(source("a", { pick: "me" }, "ants"));
    await world.create(source("c", { pick: "not" }, "cats"));
    await world.settle();
    expect(world.get("clusterroles", "all")?.["rules"]).toEqual([rule("ants"), rule("bees")]);
    await world.remove("clusterroles", "a");
    await world.settle();
    expect(world.get("clusterroles", "all")?.["rules"]).toEqual([rule("bees")]);
  });

  it("lets a new role be part of admin by its label", async () => {
    const world = await startHubWorld();
    const before = (world.get("clusterroles", "admin")?.["rules"] as unknown[]).length;
    await world.create(source("mine", { "rbac.authorization.k8s.io/aggregate-to-edit": "true" }, "things"));
    await world.settle();
    const rules = world.get("clusterroles", "admin")?.["rules"] as unknown[];
    expect(rules).toHaveLength(before + 1);
    expect(rules).toContainEqual(rule("things"));
  });
});

describe("an Event", () => {
  const event = (name: string): KubeObject => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace: "shop" },
    involvedObject: { kind: "Pod", namespace: "shop", name: "p" },
    reason: "Tested",
    message: "hello",
    type: "Normal",
  });

  it("is deleted an hour after its last change", async () => {
    const world = await startHubWorld();
    await world.create(event("old"));
    await world.clock.advance(1_800_000);
    await world.create(event("young"));
    await world.change("events", "old", (object) => ({ ...object, count: 2 }));
    await world.clock.advance(1_900_000);
    expect(world.list("events").map(({ metadata }) => metadata.name)).toEqual(["old", "young"]);
    await world.clock.advance(1_800_000);
    await expect.poll(() => world.list("events")).toEqual([]);
    expect(world.clock.sleepers).toBe(0);
  });
});

describe("granting rights", () => {
  it("is held to what the user holds", async () => {
    const world = await startHubWorld();
    const role: KubeObject = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "r", namespace: "shop" },
      rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
    };
    expect(await refusalOf(world.create(role, { username: "anna", groups: ["system:authenticated"] }))).toBe(
      'roles.rbac.authorization.k8s.io "r" is forbidden: user "anna" (groups=["system:authenticated"]) is attempting ' +
        'to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    );
    expect(await refusalOf(world.create(role))).toBeUndefined();
  });
});
