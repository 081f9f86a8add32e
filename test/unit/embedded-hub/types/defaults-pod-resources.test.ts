import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { objectAt } from "../../../../src/core/read-json.ts";
import { completeBuiltIn } from "../../../../src/embedded-hub/types/defaults.ts";
import { messageType } from "../../../../src/embedded-hub/types/type-registry.ts";

// The answers of kube-apiserver 1.34.4.

describe("what a Pod has for all of its containers", () => {
  const huge = { limits: { cpu: "1", "hugepages-2Mi": "2Mi" } };

  it.each<{ given: JsonObject; of: readonly JsonObject[]; expected: JsonObject }>([
    { given: {}, of: [huge], expected: {} },
    { given: { limits: {}, requests: {} }, of: [huge], expected: { limits: {}, requests: {} } },
    {
      given: { requests: { memory: "1Gi" } },
      of: [{ limits: { cpu: "1" } }],
      expected: { requests: { memory: "1Gi" } },
    },
    { given: { limits: { cpu: "1" } }, of: [{}], expected: { limits: { cpu: "1" }, requests: { cpu: "1" } } },
    {
      given: { limits: { cpu: "3" }, requests: { cpu: "2" } },
      of: [{ requests: { cpu: "1" } }],
      expected: { limits: { cpu: "3" }, requests: { cpu: "2" } },
    },
    {
      given: { limits: { cpu: "4" } },
      of: [
        { requests: { memory: "1Gi", cpu: "1500m", "ephemeral-storage": "1" } },
        { requests: { memory: "1Gi", cpu: "1500m" } },
      ],
      expected: { limits: { cpu: "4" }, requests: { cpu: "3", memory: "2Gi" } },
    },
    {
      given: { requests: { cpu: "4" } },
      of: [huge, { limits: { "hugepages-2Mi": "4Mi" } }],
      expected: { limits: { "hugepages-2Mi": "6Mi" }, requests: { cpu: "4", "hugepages-2Mi": "6Mi" } },
    },
    {
      given: { limits: { cpu: "4", "hugepages-2Mi": "8Mi" } },
      of: [huge],
      expected: { limits: { cpu: "4", "hugepages-2Mi": "8Mi" }, requests: { cpu: "1", "hugepages-2Mi": "8Mi" } },
    },
    {
      given: { requests: { cpu: "1", "hugepages-2Mi": "2Mi" } },
      of: [huge],
      expected: { requests: { cpu: "1", "hugepages-2Mi": "2Mi" } },
    },
  ])("is $expected for $given with containers that have $of", ({ given, of, expected }) => {
    const containers = of.map((resources, index) => ({ name: `c${index}`, image: "i", resources }));
    const pod = completeBuiltIn(messageType("core.Pod"), { spec: { containers, resources: given } });
    expect(objectAt(pod, "spec", "resources")).toEqual(expected);
  });

  it("stays as it is in a template", () => {
    const template = { spec: { resources: { limits: { cpu: "1" } }, containers: [{ name: "c", resources: huge }] } };
    const completed = completeBuiltIn(messageType("core.PodTemplateSpec"), template);
    expect(objectAt(completed, "spec", "resources")).toEqual({ limits: { cpu: "1" } });
  });
});
