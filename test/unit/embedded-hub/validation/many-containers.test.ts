import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { askedByContainers } from "../../../../src/embedded-hub/amounts/pod-amounts.ts";
import { validatePod } from "../../../../src/embedded-hub/validation/validate-pod.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";
import { changed, pod, podSpec } from "./validation-builders.ts";

const many = (make: (index: number) => JsonObject): JsonObject[] =>
  Array.from({ length: 6000 }, (_, index) => make(index));

describe("a Pod of 6,000 containers", () => {
  const [first] = podSpec["containers"] as readonly JsonObject[];
  const containers = many((index) => ({ ...first, name: `c${index}`, ports: [] }));

  it("A258 sorts the names of its resource claims once, not for each container", () => {
    const resourceClaims = many((index) => ({ name: `claim-${index}`, resourceClaimName: "a" }));
    const spec = { ...podSpec, resourceClaims, containers };
    const judge = () => validatePod({ ...pod, spec }, undefined);
    expect(judge()).toEqual([]);
    const claims = containers.map((one) => ({ ...one, resources: { claims: [{ name: "none" }] } }));
    const refuse = () => validatePod({ ...pod, spec: { ...spec, containers: claims } }, undefined);
    expect(refuse()).toHaveLength(6000);
    for (const work of [judge, refuse]) expect(leastCpuMs(work, 500)).toBeLessThan(500);
  });

  it("A258 is added up without adding all sidecars up for each of them", () => {
    const initContainers = many((index) => ({
      name: `c${index}`,
      ...(index % 4 === 0 ? {} : { restartPolicy: "Always" }),
      resources: { requests: { [`example.org/r${index}`]: "1" } },
    }));
    const add = () => askedByContainers({ initContainers });
    expect(add().requests.size).toBe(6000);
    expect(leastCpuMs(add, 150)).toBeLessThan(150);
  });

  it("A258 is compared with its former self container by container", () => {
    const before = { ...pod, spec: { ...podSpec, containers } };
    const after = changed(before, ["spec.containers.0.image", "other"]);
    expect(validatePod(after, before)).toEqual([]);
    expect(leastCpuMs(() => validatePod(after, before), 400)).toBeLessThan(400);
  });
});
