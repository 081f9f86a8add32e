import { describe, expect, it } from "vitest";
import { textAt } from "../../../../src/core/read-json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { startHubWorld } from "../controllers/hub-world.ts";

const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

function ingressClass(name: string, isDefault: string): KubeObject {
  const annotations = { [defaultAnnotation]: isDefault };
  const spec = { controller: "example.org/controller" };
  return { apiVersion: "networking.k8s.io/v1", kind: "IngressClass", metadata: { name, annotations }, spec };
}

function ingress(name: string, annotations: Record<string, string> = {}, spec: object = {}): KubeObject {
  const defaultBackend = { service: { name: "shop", port: { number: 80 } } };
  const metadata = { name, namespace: "shop", annotations };
  return { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata, spec: { defaultBackend, ...spec } };
}

describe("a new Ingress without a class", () => {
  const classOf = (object: KubeObject): string | undefined => textAt(object, "spec", "ingressClassName");

  it("gets the default class of the hub", async () => {
    const { create } = await startHubWorld();
    await create(ingressClass("other", "false"));
    expect(classOf(await create(ingress("before")))).toBeUndefined();
    await create(ingressClass("main", "true"));
    expect(classOf(await create(ingress("after")))).toBe("main");
  });

  it("gets the newest of several, and the first by name of those made in one second", async () => {
    const { create, clock } = await startHubWorld();
    await create(ingressClass("a", "true"));
    await clock.advance(5000);
    await create(ingressClass("c", "true"));
    await create(ingressClass("b", "true"));
    expect(classOf(await create(ingress("i")))).toBe("b");
  });

  it("keeps what it names, by its field or by the annotation of old", async () => {
    const { create } = await startHubWorld();
    await create(ingressClass("main", "true"));
    expect(classOf(await create(ingress("a", {}, { ingressClassName: "own" })))).toBe("own");
    expect(classOf(await create(ingress("b", { "kubernetes.io/ingress.class": "own" })))).toBeUndefined();
  });
});
