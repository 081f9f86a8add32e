import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  isExtendedResource,
  isOvercommitAllowed,
  isWhole,
  nanosOf,
  validateResourceName,
  validateResources,
} from "../../../../src/embedded-hub/validation/validate-resources.ts";
import { problemsOf } from "./validation-builders.ts";

const gpu = "acme.io/gpu";

describe("validateResources", () => {
  it.each<{ limits?: JsonObject; requests?: JsonObject; problems: readonly string[] }>([
    { problems: [] },
    { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m", memory: "1Gi" }, problems: [] },
    { requests: { cpu: "500m" }, problems: [] },
    { limits: { cpu: "1" }, requests: { cpu: "1001m" }, problems: ["Invalid r.requests"] },
    { limits: { cpu: "1" }, requests: { cpu: "1000m" }, problems: [] },
    { limits: { cpu: "-1" }, problems: ["Invalid r.limits[cpu]"] },
    { requests: { cpu: "-1" }, problems: ["Invalid r.requests[cpu]"] },
    { limits: { disk: "1" }, problems: ["Invalid r.limits[disk]", "Invalid r.limits[disk]"] },
    { limits: { pods: "1" }, problems: ["Invalid r.limits[pods]"] },
    { limits: { "ephemeral-storage": "1" }, problems: [] },
    { limits: { [gpu]: "1" }, requests: { [gpu]: "1" }, problems: [] },
    { limits: { [gpu]: "2" }, requests: { [gpu]: "1" }, problems: ["Invalid r.requests"] },
    { limits: { [gpu]: "1" }, requests: { [gpu]: "2" }, problems: ["Invalid r.requests"] },
    { requests: { [gpu]: "1" }, problems: ["Required r.limits"] },
    { limits: { [gpu]: "500m" }, problems: [`Invalid r.limits[${gpu}]`] },
    { limits: { "a b/c": "1" }, problems: ["Invalid r.limits[a b/c]", "Invalid r.limits[a b/c]"] },
    { limits: { "hugepages-2Mi": "4Mi" }, requests: { "hugepages-2Mi": "4Mi" }, problems: ["Forbidden r"] },
    { limits: { "hugepages-2Mi": "4Mi", cpu: "1" }, problems: [] },
    { limits: { "hugepages-2Mi": "4Mi" }, requests: { memory: "1" }, problems: [] },
    {
      limits: { "hugepages-2Mi": "4Mi", cpu: "1" },
      requests: { "hugepages-2Mi": "2Mi" },
      problems: ["Invalid r.requests"],
    },
  ])("finds $problems in limits $limits and requests $requests", ({ limits = {}, requests = {}, problems }) => {
    expect(problemsOf(validateResources({ limits, requests }, "r"))).toEqual(problems);
  });

  it("has nothing to find where there are none", () => {
    expect(validateResources(undefined, "r")).toEqual([]);
  });
});

describe("names of resources", () => {
  it.each([
    ["cpu", 0],
    ["requests.cpu", 0],
    ["acme.io/gpu", 0],
    ["hugepages-2Mi", 0],
    ["requests.hugepages-2Mi", 0],
    ["disk", 1],
    ["a b", 1],
  ])("%s has %i faults", (name, count) => {
    expect(validateResourceName(name, "f")).toHaveLength(count);
  });

  it.each([
    ["cpu", false, true],
    ["acme.io/gpu", true, false],
    ["kubernetes.io/x", false, true],
    ["requests.acme.io/x", false, false],
    ["hugepages-2Mi", false, false],
    [`${"a".repeat(60)}.io/${"x".repeat(60)}`, true, false],
  ])("%s is extended: %j, may be overcommitted: %j", (name, isExtended, isShared) => {
    expect([isExtendedResource(name), isOvercommitAllowed(name)]).toEqual([isExtended, isShared]);
  });
});

describe("amounts", () => {
  it.each([
    ["1", true, 1_000_000_000n],
    ["1500m", false, 1_500_000_000n],
    ["2000m", true, 2_000_000_000n],
    ["1Ki", true, 1_024_000_000_000n],
    ["-1", true, -1_000_000_000n],
    ["x", true, 0n],
  ])("%s is whole: %j, in nanos %s", (text, whole, nanos) => {
    expect([isWhole(text), nanosOf(text)]).toEqual([whole, nanos]);
  });
});
