import { describe, expect, it } from "vitest";
import { formatQuantity } from "../../../../src/core/formats/quantity.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { AdmissionRequest } from "../../../../src/embedded-hub/operations/admission.ts";
import type { Quota } from "../../../../src/embedded-hub/quotas/decide-charge.ts";
import { decideCharge, isInScope, mayUseMore, readQuota } from "../../../../src/embedded-hub/quotas/decide-charge.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const definitions = builtInResources();

function objectOf(spec: JsonObject): KubeObject {
  return { apiVersion: "v1", kind: "A", metadata: { name: "a" }, spec };
}

type Request = AdmissionRequest & { readonly object: KubeObject };

/** A write: of a new object, or of one that was `before`. */
function write(plural: string, spec: JsonObject, before?: JsonObject): Request {
  const definition = definitions.find((one) => one.plural === plural);
  if (definition === undefined) throw new Error(`${plural} are not served`);
  const user = { username: "a", groups: [] };
  const common = { isDryRun: false, options: {}, warnings: [], user, namespace: "shop", name: "a", definition };
  const object = objectOf(spec);
  if (before === undefined) return { ...common, operation: "CREATE", object };
  return { ...common, operation: "UPDATE", object, oldObject: objectOf(before) };
}

function quotaOf(hard: JsonObject, used: JsonObject, spec: JsonObject = {}): Quota {
  const metadata = { name: "q", namespace: "shop" };
  return readQuota({ apiVersion: "v1", kind: "ResourceQuota", metadata, spec, status: { hard, used } });
}

/** What the quota has used after the write; "unchanged", or the refusal. */
function decide(request: Request, quota: Quota): unknown {
  try {
    const charged = decideCharge(request, [quota], 0).get("q");
    if (charged === undefined) return "unchanged";
    return Object.fromEntries([...charged].map(([name, amount]) => [name, formatQuantity(amount)]));
  } catch (error) {
    if (!isApiFailure(error, "Forbidden")) throw error;
    return error.message;
  }
}

function asking(requests: JsonObject): JsonObject {
  return {
    containers: [
      { name: "c", resources: { requests } },
      { name: "b", resources: { requests } },
    ],
  };
}

const ports = [{ port: 80 }, { port: 81 }];

describe("a write that may use more of what quotas count", () => {
  it.each<readonly [string, Request, boolean]>([
    ["a new object", write("deployments", {}), true],
    ["a changed Deployment", write("deployments", {}, {}), false],
    ["a changed Secret", write("secrets", {}, {}), false],
    ["a changed Service", write("services", {}, {}), true],
    ["a Pod with another image", write("pods", {}, {}), false],
    ["a Pod that gets a deadline", write("pods", { activeDeadlineSeconds: 1 }, {}), true],
    [
      "a Pod that has another deadline",
      write("pods", { activeDeadlineSeconds: 1 }, { activeDeadlineSeconds: 2 }),
      false,
    ],
    ["the status of a Service", { ...write("services", {}, {}), subresource: "status" }, false],
    ["what is posted to a Pod", { ...write("pods", {}), subresource: "binding" }, false],
    ["a deleted Service", { ...write("services", {}, {}), operation: "DELETE" }, false],
    ["a Service of another group", withGroup(write("services", {}, {}), "example.org"), false],
  ])("%s", (_what, request, expected) => {
    expect(mayUseMore(request)).toBe(expected);
  });
});

function withGroup(request: Request, group: string): Request {
  return { ...request, definition: { ...request.definition, group } };
}

describe("decideCharge", () => {
  it.each<readonly [string, Request, Quota, unknown]>([
    [
      "counts nothing of another kind",
      write("secrets", {}),
      quotaOf({ configmaps: "1" }, { configmaps: "1" }),
      "unchanged",
    ],
    [
      "counts an object",
      write("secrets", {}),
      quotaOf({ secrets: "2", pods: "1" }, { secrets: "1", pods: "0" }),
      { secrets: "2", pods: "0" },
    ],
    [
      "refuses one object too many",
      write("secrets", {}),
      quotaOf({ secrets: "1", "count/secrets": "1" }, { secrets: "1", "count/secrets": "1" }),
      'secrets "a" is forbidden: exceeded quota: q, requested: count/secrets=1,secrets=1, used: count/secrets=1,secrets=1, limited: count/secrets=1,secrets=1',
    ],
    [
      "names only what is exceeded",
      write("secrets", {}),
      quotaOf({ secrets: "1", "count/secrets": "2" }, { secrets: "1", "count/secrets": "1" }),
      'secrets "a" is forbidden: exceeded quota: q, requested: secrets=1, used: secrets=1, limited: secrets=1',
    ],
    [
      "lets more be used up exactly",
      write("pods", asking({ cpu: "250m" })),
      quotaOf({ "requests.cpu": "1" }, { "requests.cpu": "500m" }),
      { "requests.cpu": "1" },
    ],
    [
      "waits until the quota was counted once",
      write("secrets", {}),
      quotaOf({ secrets: "1", "count/secrets": "1" }, { secrets: "1" }),
      'secrets "a" is forbidden: status unknown for quota: q, resources: count/secrets,secrets',
    ],
    [
      "refuses a Pod that does not name what is counted",
      write("pods", asking({ "example.org/gpu": "1" })),
      quotaOf({ memory: "1", "limits.cpu": "1", pods: "1" }, { memory: "0", "limits.cpu": "0", pods: "0" }),
      'pods "a" is forbidden: failed quota: q: must specify limits.cpu for: b,c; memory for: b,c',
    ],
    [
      "counts the ports that a Service gets in addition",
      write("services", { type: "NodePort", ports }, { type: "NodePort", ports: [{ port: 80 }] }),
      quotaOf({ services: "1", "services.nodeports": "3" }, { services: "1", "services.nodeports": "2" }),
      { services: "1", "services.nodeports": "3" },
    ],
    [
      "gives nothing back for the ports that a Service has no more",
      write("services", { type: "LoadBalancer", ports: [{ port: 80 }] }, { type: "NodePort", ports }),
      quotaOf(
        { "services.loadbalancers": "1", "services.nodeports": "1" },
        { "services.loadbalancers": "0", "services.nodeports": "2" },
      ),
      { "services.loadbalancers": "1", "services.nodeports": "2" },
    ],
    [
      "changes nothing for a Service that uses as much as before",
      write("services", { type: "NodePort", ports }, { type: "NodePort", ports }),
      quotaOf({ services: "0", "services.nodeports": "0" }, { services: "1", "services.nodeports": "2" }),
      "unchanged",
    ],
    [
      "counts a Pod in full that comes into the scope",
      write("pods", { activeDeadlineSeconds: 1 }, {}),
      quotaOf({ pods: "2" }, { pods: "1" }, { scopes: ["Terminating"] }),
      { pods: "2" },
    ],
    [
      "counts no Pod that leaves the scope",
      write("pods", {}, { activeDeadlineSeconds: 1 }),
      quotaOf({ pods: "0" }, { pods: "1" }, { scopes: ["Terminating"] }),
      "unchanged",
    ],
  ])("%s", (_what, request, quota, expected) => {
    expect(decide(request, quota)).toEqual(expected);
  });

  it("refuses with the first quota that has not enough left, and charges all that count", () => {
    const small = { ...quotaOf({ secrets: "1" }, { secrets: "1" }), name: "small" };
    const large = quotaOf({ secrets: "9" }, { secrets: "1" });
    expect(() => decideCharge(write("secrets", {}), [large, small], 0)).toThrow("exceeded quota: small");
    const charged = decideCharge(write("secrets", {}), [large, { ...large, name: "other" }], 0);
    expect([...charged.keys()]).toEqual(["q", "other"]);
  });
});

it.each([
  ["/pods", "Terminating", true],
  ["/pods", "NotTerminating", false],
  ["/services", "Terminating", false],
])("an object of kind %s is in scope %s: %s", (kind, name, expected) => {
  const scope = { name, operator: "Exists", values: new Set<string>() };
  expect(isInScope(kind, [scope], objectOf({ activeDeadlineSeconds: 1 }))).toBe(expected);
  expect(isInScope(kind, [], objectOf({}))).toBe(true);
});
