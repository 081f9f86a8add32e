import { expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { objectAt } from "../../../../src/core/read-json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { HubWorld } from "../controllers/hub-world.ts";
import { administrator, contextOf, startHubWorld } from "../controllers/hub-world.ts";

const reader = { username: "reader", groups: [] };
const pods = { verb: "list", resource: "pods", namespace: "shop" };

async function ask(
  { operations }: HubWorld,
  kind: string,
  spec: JsonObject | undefined,
  user = administrator,
): Promise<unknown> {
  const group = kind.includes("Access") || kind.includes("Rules") ? "authorization.k8s.io" : "authentication.k8s.io";
  const definition = operations.definitionOf(group, `${kind.toLowerCase()}s`);
  if (definition === undefined) throw new Error(`${kind} is not served`);
  const target = { definition, ...(definition.isNamespaced ? { namespace: "shop" } : {}) };
  const review = { apiVersion: `${group}/v1`, kind, metadata: {}, ...(spec && { spec }) } as unknown as KubeObject;
  return objectAt(await operations.create(contextOf(user), target, review), "status");
}

it("each review is answered by what it asks for, about the one it asks about", async () => {
  const world = await startHubWorld();
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }];
  const at = { name: "r", namespace: "shop" };
  const api = "rbac.authorization.k8s.io";
  await world.create({ apiVersion: `${api}/v1`, kind: "Role", metadata: at, rules });
  await world.create({
    ...{ apiVersion: `${api}/v1`, kind: "RoleBinding", metadata: at },
    roleRef: { apiGroup: api, kind: "Role", name: "r" },
    subjects: [{ apiGroup: api, kind: "User", name: "reader" }],
  });
  const asked = async (user: string, resourceAttributes: JsonObject = pods) => ({
    any: await ask(world, "SubjectAccessReview", { user, resourceAttributes }),
    local: await ask(world, "LocalSubjectAccessReview", { user, resourceAttributes }),
  });
  const allowed = { allowed: true, reason: expect.stringContaining('RoleBinding "r/shop"') as string };
  expect(await asked("reader")).toEqual({ any: allowed, local: allowed });
  expect(await asked("other")).toEqual({ any: { allowed: false }, local: { allowed: false } });
  const self = { resourceAttributes: pods };
  expect(await ask(world, "SelfSubjectAccessReview", self, reader)).toEqual(allowed);
  expect(await ask(world, "SelfSubjectAccessReview", self, { ...reader, username: "other" })).toEqual({
    allowed: false,
  });
  const held = await ask(world, "SelfSubjectRulesReview", { namespace: "shop" }, reader);
  expect(held).toMatchObject({ resourceRules: rules, incomplete: false });
  expect(await ask(world, "SelfSubjectReview", undefined, reader)).toEqual({ userInfo: reader });
  expect(await ask(world, "TokenReview", { token: "none" })).toMatchObject({
    user: {},
    error: expect.any(String) as string,
  });
});
