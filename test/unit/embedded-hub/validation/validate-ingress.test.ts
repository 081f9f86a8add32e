import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { validateIngress, validateIngressClass } from "../../../../src/embedded-hub/validation/validate-ingress.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { problemsOf } from "./validation-builders.ts";

const backend = { service: { name: "a", port: { number: 80 } } };

function ingress(spec: JsonObject, annotations: Record<string, string> = {}): KubeObject {
  return { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: { name: "a", annotations }, spec };
}

const path = (item: JsonObject): JsonObject => ({
  rules: [{ http: { paths: [{ path: "/", pathType: "Prefix", backend, ...item }] } }],
});
const at = "spec.rules[0].http.paths[0]";
const to = (one: JsonObject): JsonObject => ({ defaultBackend: one });
const service = (name: string, port: JsonObject): JsonObject => to({ service: { name, port } });

describe("validateIngress", () => {
  it.each<{ spec: JsonObject; problems: readonly string[] }>([
    { spec: path({}), problems: [] },
    { spec: to(backend), problems: [] },
    { spec: {}, problems: ["Invalid spec"] },
    { spec: { rules: [] }, problems: ["Invalid spec"] },
    { spec: { ...path({}), ingressClassName: "A_" }, problems: ["Invalid spec.ingressClassName"] },
    { spec: { rules: [{ host: "10.0.0.1" }] }, problems: ["Invalid spec.rules[0].host"] },
    { spec: { rules: [{ host: "A_" }] }, problems: ["Invalid spec.rules[0].host"] },
    { spec: { rules: [{ host: "*.example.org" }] }, problems: [] },
    { spec: { rules: [{ host: "a.*.example.org" }] }, problems: ["Invalid spec.rules[0].host"] },
    { spec: { rules: [{ http: {} }] }, problems: ["Required spec.rules[0].http.paths"] },
    { spec: path({ pathType: undefined }), problems: [`Required ${at}.pathType`] },
    { spec: path({ pathType: "Odd" }), problems: [`NotSupported ${at}.pathType`] },
    { spec: path({ path: "x" }), problems: [`Invalid ${at}.path`] },
    { spec: path({ path: "" }), problems: [`Invalid ${at}.path`] },
    { spec: path({ path: "", pathType: "ImplementationSpecific" }), problems: [] },
    { spec: path({ path: "x", pathType: "ImplementationSpecific" }), problems: [`Invalid ${at}.path`] },
    ...["/a//b", "/a/./b", "/a/../b", "/a%2fb", "/a%2Fb", "/a/..", "/a/."].map((text) => ({
      spec: path({ path: text, pathType: "Exact" }),
      problems: [`Invalid ${at}.path`],
    })),
    { spec: path({ backend: {} }), problems: [`Invalid ${at}.backend`] },
    { spec: to({ ...backend, resource: { kind: "A", name: "b" } }), problems: ["Invalid spec.defaultBackend"] },
    { spec: to({ resource: { kind: "A", name: "b", apiGroup: "a.io" } }), problems: [] },
    {
      spec: to({ resource: { kind: "A", name: "b", apiGroup: "A_" } }),
      problems: ["Invalid spec.defaultBackend.resource.apiGroup"],
    },
    {
      spec: to({ resource: { name: "a/b" } }),
      problems: ["Required spec.defaultBackend.resource.kind", "Invalid spec.defaultBackend.resource.name"],
    },
    { spec: service("", { number: 80 }), problems: ["Required spec.defaultBackend.service.name"] },
    { spec: service("1a", { number: 80 }), problems: ["Invalid spec.defaultBackend.service.name"] },
    { spec: service("a", {}), problems: ["Required spec.defaultBackend"] },
    { spec: service("a", { name: "web", number: 80 }), problems: ["Invalid spec.defaultBackend"] },
    { spec: service("a", { name: "web" }), problems: [] },
    { spec: service("a", { name: "a--b" }), problems: ["Invalid spec.defaultBackend.service.port.name"] },
    { spec: service("a", { number: 65_536 }), problems: ["Invalid spec.defaultBackend.service.port.number"] },
    {
      spec: { ...to(backend), tls: [{ hosts: ["a", "A_"], secretName: "S_" }] },
      problems: ["Invalid spec.tls[0].hosts[1]", "Invalid spec.tls[0].secretName"],
    },
  ])("finds $problems in $spec", ({ spec, problems }) => {
    expect(problemsOf(validateIngress(ingress(spec), undefined))).toEqual(problems);
  });

  it("wants one class, when it is made", () => {
    const annotations = { "kubernetes.io/ingress.class": "x" };
    const named = (ingressClassName: string) => ingress({ ...to(backend), ingressClassName }, annotations);
    expect(problemsOf(validateIngress(named("y"), undefined))).toEqual([
      "Invalid annotations.kubernetes.io/ingress.class",
    ]);
    expect(validateIngress(named("x"), undefined)).toEqual([]);
    expect(validateIngress(named("y"), named("y"))).toEqual([]);
    expect(validateIngress(ingress(to(backend), annotations), undefined)).toEqual([]);
  });
});

describe("validateIngressClass", () => {
  const made = (controller: string, parameters?: Json): KubeObject => ({
    ...{ apiVersion: "networking.k8s.io/v1", kind: "IngressClass", metadata: { name: "a" } },
    spec: parameters === undefined ? { controller } : { controller, parameters },
  });
  const named = (rest: JsonObject) => made("a.io/b", { kind: "A", name: "b", ...rest });

  it.each<{ one: KubeObject; problems: readonly string[] }>([
    { one: made("a.io/b"), problems: [] },
    { one: made(""), problems: ["Required spec.controller"] },
    { one: made("b"), problems: ["Invalid spec.controller"] },
    { one: made("A_/b"), problems: ["Invalid spec.controller"] },
    { one: made("a.io/b c"), problems: ["Invalid spec.controller"] },
    { one: made(`a.io/${"b".repeat(245)}`), problems: [] },
    { one: made(`a.io/${"b".repeat(246)}`), problems: ["TooLong spec.controller"] },
    { one: named({ scope: "Cluster" }), problems: [] },
    { one: named({ scope: "Odd" }), problems: ["NotSupported spec.parameters.scope"] },
    { one: named({ scope: "Namespace" }), problems: ["Required spec.parameters.namespace"] },
    { one: named({ scope: "Namespace", namespace: "N_" }), problems: ["Invalid spec.parameters.namespace"] },
    { one: named({ scope: "Namespace", namespace: "n" }), problems: [] },
    { one: named({ scope: "Cluster", namespace: "n" }), problems: ["Forbidden spec.parameters.namespace"] },
    { one: named({ scope: "Cluster", name: "" }), problems: ["Required spec.parameters.name"] },
  ])("finds $problems in $one.spec", ({ one, problems }) => {
    expect(problemsOf(validateIngressClass(one, undefined))).toEqual(problems);
  });

  it("keeps its controller", () => {
    expect(problemsOf(validateIngressClass(made("a.io/c"), made("a.io/b")))).toEqual(["Invalid spec.controller"]);
    expect(validateIngressClass(made("a.io/b"), made("a.io/b"))).toEqual([]);
  });
});
