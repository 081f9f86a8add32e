import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { objectsAt } from "../../../../src/core/read-json.ts";
import { checkLimits, withLimitDefaults } from "../../../../src/embedded-hub/admission/limit-ranges.ts";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { AdmissionRequest } from "../../../../src/embedded-hub/operations/admission.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";

const definitions = new Map(builtInResources().map((definition) => [definition.kind, definition]));

function requestOf(object: KubeObject): AdmissionRequest & { readonly object: KubeObject } {
  const definition = definitions.get(object.kind);
  if (definition === undefined) throw new Error(`${object.kind} is not served`);
  const user = { username: "a", groups: [] };
  const options = { isDryRun: false, options: {}, warnings: [], user };
  return { ...options, operation: "CREATE", definition, namespace: "shop", name: object.metadata.name, object };
}

function range(...limits: readonly JsonObject[]): KubeObject {
  return { apiVersion: "v1", kind: "LimitRange", metadata: { name: "limits" }, spec: { limits } };
}

function pod(...resources: readonly JsonObject[]): KubeObject {
  const containers = resources.map((one, index) => ({ name: `c${index}`, image: "none", resources: one }));
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers } };
}

function refusalOf(object: KubeObject, ranges: readonly KubeObject[]): string | undefined {
  try {
    checkLimits(requestOf(object), () => ranges);
    return undefined;
  } catch (error) {
    if (isApiFailure(error)) return error.status.message;
    throw error;
  }
}

const many = (count: number, value: string): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`example.org/r${index}`, value]));

describe("a new Pod in a namespace with limits", () => {
  it("gets what its containers lack, and an annotation of it", () => {
    const defaults = range({
      type: "Container",
      default: { cpu: "1", memory: "1Gi" },
      defaultRequest: { cpu: "100m" },
    });
    const { metadata, spec } = withLimitDefaults(requestOf(pod({}, { limits: { memory: "2Gi" } })), () => [defaults]);
    expect([metadata.annotations, spec]).toEqual([
      {
        "kubernetes.io/limit-ranger":
          "LimitRanger plugin set: cpu request for container c0; cpu, memory limit for container c0; " +
          "cpu request for container c1; cpu limit for container c1",
      },
      pod(
        { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "100m" } },
        { limits: { cpu: "1", memory: "2Gi" }, requests: { cpu: "100m" } },
      )["spec"],
    ]);
  });

  it("is refused for each limit that it does not keep", () => {
    const limits = range({ type: "Container", max: { cpu: "1" } }, { type: "Pod", max: { cpu: "1500m" } });
    const two = pod({ limits: { cpu: "1" } }, { limits: { cpu: "600m" } });
    expect(refusalOf(two, [limits])).toBe(
      'pods "a" is forbidden: maximum cpu usage per Pod is 1500m, but limit is 1600m',
    );
    expect(refusalOf(pod({}), [limits])).toBe(
      'pods "a" is forbidden: [maximum cpu usage per Container is 1.  No limit is specified, ' +
        "maximum cpu usage per Pod is 1500m.  No limit is specified]",
    );
    expect(refusalOf(pod({ limits: { cpu: "1" } }), [limits])).toBeUndefined();
    const { spec, ...started } = pod({ limits: { cpu: "1" } });
    const init = { ...started, spec: { ...(spec as JsonObject), initContainers: [{ name: "init" }] } };
    expect(refusalOf(init, [limits])).toContain("maximum cpu usage per Container is 1.  No limit is specified");
  });

  it("gets them in its init containers too, from limits of containers alone, in the order of their names", () => {
    const defaults = range(
      { type: "Container", default: { memory: "1Gi", cpu: "1" } },
      { type: "Pod", default: { pods: "1" } },
    );
    const { spec, ...rest } = pod({ limits: { cpu: "1", memory: "1Gi" } });
    const starting = { ...rest, spec: { ...(spec as JsonObject), initContainers: [{ name: "init" }] } } as KubeObject;
    const made = withLimitDefaults(requestOf(starting), () => [defaults]);
    expect(objectsAt(made, "spec", "initContainers")).toEqual([
      { name: "init", resources: { limits: { cpu: "1", memory: "1Gi" } } },
    ]);
    expect(made.metadata.annotations).toEqual({
      "kubernetes.io/limit-ranger": "LimitRanger plugin set: cpu, memory limit for init container init",
    });
    const whole = pod({ limits: { cpu: "1", memory: "1Gi" } });
    expect(withLimitDefaults(requestOf(whole), () => [defaults])).toBe(whole);
    expect(withLimitDefaults(requestOf(starting), () => [range({ type: "Pod", default: { cpu: "1" } })])).toBe(
      starting,
    );
  });

  it("takes as many amounts from defaults as a hub can hold", () => {
    const defaults = range({ type: "Container", default: many(5, "1"), defaultRequest: many(5, "1") });
    const wide = (count: number) => pod(...Array.from({ length: count }, () => ({})));
    expect(
      objectsAt(
        withLimitDefaults(requestOf(wide(1000)), () => [defaults]),
        "spec",
        "containers",
      ),
    ).toHaveLength(1000);
    expect(() => withLimitDefaults(requestOf(wide(1001)), () => [defaults])).toThrow("more than 10000 amounts");
  });

  it("is held to limits when it is created, and no other object or write is", () => {
    const limits = [range({ type: "Container", max: { cpu: "1" } })];
    const request = requestOf(pod({}));
    const check = (changes: Partial<AdmissionRequest>) => () => checkLimits({ ...request, ...changes }, () => limits);
    expect(check({})).toThrow("No limit is specified");
    expect(check({ operation: "UPDATE" })).not.toThrow();
    expect(check({ subresource: "eviction" })).not.toThrow();
    expect(check({ object: undefined })).not.toThrow();
    for (const kind of ["PodTemplate", "Deployment"]) {
      const definition = definitions.get(kind);
      if (definition === undefined) throw new Error(`${kind} is not served`);
      expect(check({ definition })).not.toThrow();
    }
  });

  it("is not made larger than a hub can hold by defaults", () => {
    const defaults = range({ type: "Container", default: many(5000, "1") });
    const wide = pod(...Array.from({ length: 1000 }, () => ({})));
    const [one, ...others] = objectsAt(wide, "spec", "containers");
    const split = { ...wide, spec: { containers: [one], initContainers: others } } as KubeObject;
    for (const large of [wide, split])
      expect(() => withLimitDefaults(requestOf(large), () => [defaults])).toThrow(
        'LimitRange "limits" would add more than 10000 amounts: shorten its defaults, or the Pod',
      );
  });

  it("is held to thousands of limits in no time", () => {
    const limits = Array.from({ length: 20 }, () => range({ type: "Container", max: many(5000, "1") }));
    const wide = pod(...Array.from({ length: 1000 }, () => ({ limits: { "example.org/r0": "1" } })));
    expect(refusalOf(wide, limits)).toContain("No limit is specified");
    expect(leastCpuMs(() => refusalOf(wide, limits), 200)).toBeLessThan(200);
  });
});
