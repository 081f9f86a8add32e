import { describe, expect, it } from "vitest";
import { createSimulatedHub } from "../../../../src/hub/rehearsal/simulated-hub.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";

const { namespace, configMap, secret, serviceAccount } = resourceTypes;
const place = { namespace: "n", name: "a" };
const object = (kind: string, metadata: KubeObject["metadata"], rest: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata,
  ...rest,
});
const hub = (...objects: KubeObject[]) => createSimulatedHub(objects, () => Date.parse("2027-01-01T00:00:00Z"));
const verbs = ({ writes }: ReturnType<typeof hub>): string[] =>
  writes.map(({ verb, ref }) => `${verb} ${ref.type.kind}`);

describe("createSimulatedHub", () => {
  it("records each write that changes something, and none that does not", async () => {
    const simulated = hub();
    const body = object("ConfigMap", place, { data: { x: "1" } });
    for (let round = 0; round < 2; round++) await simulated.api.apply(body, { fieldManager: "hub" });
    await simulated.api.delete({ type: configMap, ...place });
    await simulated.api.delete({ type: configMap, ...place });
    expect(verbs(simulated)).toEqual(["create ConfigMap", "delete ConfigMap"]);
  });

  it("keeps an object until its finalizers are removed", async () => {
    const simulated = hub(object("ConfigMap", { ...place, finalizers: ["x/y"] }));
    const ref = { type: configMap, ...place };
    await simulated.api.delete(ref);
    expect(simulated.has(ref)).toBe(true);
    await simulated.api.mergePatch(ref, { metadata: { finalizers: null } }, { fieldManager: "hub" });
    expect(simulated.has(ref)).toBe(false);
  });

  it("deletes what is in a namespace with it", async () => {
    const simulated = hub(object("Namespace", { name: "n" }), object("ConfigMap", place));
    await simulated.api.delete({ type: namespace, name: "n" });
    expect(verbs(simulated)).toEqual(["delete Namespace", "delete ConfigMap"]);
  });

  it("gives an account's Secret a token, and no status write is counted", async () => {
    const simulated = hub(object("ServiceAccount", { ...place, uid: "u" }));
    const annotations = { "kubernetes.io/service-account.name": "a" };
    const made = await simulated.api.apply(
      object("Secret", { ...place, annotations }, { type: "kubernetes.io/service-account-token" }),
      { fieldManager: "hub" },
    );
    const { token } = made["data"] as { token: string };
    const [, claims = ""] = Buffer.from(token, "base64").toString("utf8").split(".");
    expect(Buffer.from(claims, "base64url").toString("utf8")).toContain('"serviceaccount":{"name":"a","uid":"u"}');
    const status = { ...object("ServiceAccount", place), status: { x: 1 } };
    await simulated.api.apply(status, { fieldManager: "hub", subresource: "status" });
    expect(verbs(simulated)).toEqual(["create Secret"]);
    expect(simulated.has({ type: serviceAccount, ...place })).toBe(true);
    expect(simulated.has({ type: secret, ...place })).toBe(true);
  });

  it("shows each write to the caches that match, the first list after they are made", async () => {
    const simulated = hub(object("ConfigMap", place), object("ConfigMap", { namespace: "other", name: "b" }));
    const seen: string[] = [];
    const cache = simulated.startCache(configMap, {
      namespace: "n",
      onChange: ({ ref, object: now }) => seen.push(`${ref.name} ${now === undefined ? "deleted" : "there"}`),
    });
    expect(seen).toEqual([]);
    await cache.whenSynced();
    await simulated.api.delete({ type: configMap, ...place });
    expect(seen).toEqual(["a there", "a deleted"]);
  });

  it("updates what has a name that was not listed, and creates it again once it is deleted", async () => {
    const ref = { type: configMap, ...place };
    const unlisted = object("ConfigMap", place, { data: { x: "1" } });
    const simulated = createSimulatedHub(
      [],
      () => 0,
      ({ name }) => (name === "a" ? unlisted : undefined),
    );
    const body = object("ConfigMap", place, { data: { x: "2" } });
    await simulated.api.apply(body, { fieldManager: "hub" });
    await simulated.api.delete(ref);
    expect(simulated.has(ref)).toBe(false);
    await simulated.api.apply(body, { fieldManager: "hub" });
    expect(verbs(simulated)).toEqual(["update ConfigMap", "delete ConfigMap", "create ConfigMap"]);
  });
});
