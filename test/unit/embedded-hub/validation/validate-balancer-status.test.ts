import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  validateIngressStatus,
  validateServiceStatus,
} from "../../../../src/embedded-hub/validation/validate-balancer-status.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

function reporting(ingress: readonly JsonObject[], type = "LoadBalancer"): KubeObject {
  const status = { loadBalancer: { ingress } };
  return { apiVersion: "v1", kind: "Any", metadata: { name: "a" }, spec: { type }, status };
}

const fieldsOf = (errors: readonly { readonly field: string; readonly reason: string }[]): string[] =>
  errors.map(({ field, reason }) => `${field.replace("status.loadBalancer.ingress", "")} ${reason.slice(10)}`);

const ofBoth: readonly (readonly [reason: string, ingress: JsonObject, errors: readonly string[]])[] = [
  ["an address", { ip: "10.0.0.1" }, []],
  ["an address with zeros at its start", { ip: "010.0.0.1" }, []],
  ["no address", { ip: "10.0.0" }, ["[0].ip Invalid"]],
  ["a name", { hostname: "a.example.org" }, []],
  ["no name", { hostname: "A_b" }, ["[0].hostname Invalid"]],
  ["an address where a name belongs", { hostname: "10.0.0.1" }, ["[0].hostname Invalid"]],
  ["nothing", {}, []],
];

describe("the status of a load balancer", () => {
  it.each(ofBoth)("may have %s or not, in a Service and in an Ingress", (_reason, ingress, errors) => {
    const withMode = ingress["ip"] === undefined ? ingress : { ...ingress, ipMode: "VIP" };
    expect(fieldsOf(validateServiceStatus(reporting([withMode])))).toEqual(errors);
    expect(fieldsOf(validateIngressStatus(reporting([ingress])))).toEqual(errors);
  });

  it.each([
    [{ ip: "10.0.0.1" }, ["[0].ipMode Required"]],
    [{ ip: "10.0.0.1", ipMode: "Proxy" }, []],
    [{ ip: "10.0.0.1", ipMode: "Other" }, ["[0].ipMode NotSupported"]],
    [{ hostname: "a.org", ipMode: "VIP" }, ["[0].ipMode Forbidden"]],
  ])("has a mode for each address of a Service: %j", (ingress, errors) => {
    expect(fieldsOf(validateServiceStatus(reporting([ingress])))).toEqual(errors);
  });

  it("is empty for a Service of another type", () => {
    expect(fieldsOf(validateServiceStatus(reporting([{ hostname: "a.org" }], "NodePort")))).toEqual([" Forbidden"]);
    expect(validateServiceStatus(reporting([], "NodePort"))).toEqual([]);
  });
});
