import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { changed, podSpec, textsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

function problems(...changes: readonly Change[]): string[] {
  return textsOf(validatePodSpec(changed(podSpec, ...changes), "spec", true));
}

const path = "spec.resources";
const supported = 'supported values: "cpu", "hugepages-", "memory"';

/** Containers, each with these requests and limits. */
function containers(...resources: readonly JsonObject[]): Change {
  return ["containers", resources.map((one, index) => ({ ...containerOf(`c${index}`), resources: one }))];
}

function containerOf(name: string): JsonObject {
  return { name, image: "nginx", imagePullPolicy: "Always", terminationMessagePolicy: "File" };
}

// The answers of kube-apiserver 1.34.4.

describe("what a Pod has for all of its containers", () => {
  it.each<{ resources: JsonObject; expected: readonly string[] }>([
    { resources: {}, expected: [] },
    { resources: { limits: { cpu: "2", memory: "1Gi", "hugepages-2Mi": "2Mi" } }, expected: [] },
    { resources: { requests: { cpu: "1" }, limits: { cpu: "1" } }, expected: [] },
    ...["example.com/x", "ephemeral-storage", "storage", "pods"].map((name) => ({
      resources: { limits: { [name]: "1" } },
      expected: [`${path}.limits[${name}]: Unsupported value: "${name}": ${supported}`],
    })),
    {
      resources: { limits: { odd: "1" } },
      expected: [`${path}.limits[odd]: Invalid value: "odd": must be a standard resource type or fully qualified`],
    },
    {
      resources: { requests: { storage: "1" } },
      expected: [`${path}.requests[storage]: Unsupported value: "storage": ${supported}`],
    },
    {
      resources: { limits: { cpu: "-1" } },
      expected: [`${path}.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0`],
    },
    {
      resources: { requests: { cpu: "2" }, limits: { cpu: "1" } },
      expected: [`${path}.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`],
    },
    {
      resources: { requests: { "hugepages-2Mi": "2Mi" }, limits: { cpu: "1" } },
      expected: [`${path}.limits: Required value: Limit must be set for non overcommitable resources`],
    },
    {
      resources: { limits: { "hugepages-2Mi": "2Mi" } },
      expected: [`${path}: Forbidden: HugePages require cpu or memory`],
    },
    {
      resources: { requests: { "hugepages-2Mi": "2Mi", cpu: "1" }, limits: { "hugepages-2Mi": "4Mi", cpu: "1" } },
      expected: [`${path}.requests: Invalid value: "2Mi": must be equal to hugepages-2Mi limit of 4Mi`],
    },
    {
      resources: { claims: [{ name: "x" }] },
      expected: [
        `${path}.claims: Forbidden: claims may not be set for Resources at pod-level`,
        `${path}.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty`,
      ],
    },
  ])("has $expected with $resources", ({ resources, expected }) => {
    expect(problems(["resources", resources])).toEqual(expected);
  });

  it("is not there in a Pod of Windows, whatever it is", () => {
    const expected = [`${path}: Forbidden: may not be set for a windows pod`];
    expect(problems(["os", { name: "windows" }], ["resources", { limits: { odd: "1" } }])).toEqual(expected);
    expect(problems(["os", { name: "linux" }], ["resources", { limits: { cpu: "1" } }])).toEqual([]);
  });
});

describe("containers of a Pod that has amounts for all of them", () => {
  const small: JsonObject = { requests: { cpu: "600m" } };
  const large: JsonObject = { requests: { cpu: "2" } };

  it.each<{ resources: JsonObject; of: readonly JsonObject[]; expected: readonly string[] }>([
    { resources: { requests: { cpu: "1200m" } }, of: [small, small], expected: [] },
    {
      resources: { requests: { cpu: "1" } },
      of: [small, small],
      expected: [
        'requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 1200m',
      ],
    },
    {
      resources: { requests: { memory: "1Gi" } },
      of: [large, { requests: { memory: "600Mi" } }, { requests: { memory: "600M" } }],
      expected: [
        'requests[memory]: Invalid value: "1Gi": must be greater than or equal to aggregate container requests of 1229145600',
      ],
    },
    { resources: { limits: { cpu: "1" } }, of: [{ limits: { cpu: "600m" } }, { limits: { cpu: "1" } }], expected: [] },
    {
      resources: { limits: { cpu: "1" } },
      of: [{ limits: { cpu: "2", memory: "1" } }, { limits: { cpu: "1500m" } }],
      expected: [
        'containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1',
        'containers[1][cpu].limits: Invalid value: "1500m": must be less than or equal to pod limits of 1',
      ],
    },
    {
      resources: { limits: { "hugepages-2Mi": "2Mi", cpu: "1" } },
      of: [{ limits: { "hugepages-2Mi": "2Mi", cpu: "1" } }, { limits: { "hugepages-2Mi": "2Mi", cpu: "1" } }],
      expected: [
        'limits[hugepages-2Mi]: Invalid value: "2Mi": must be greater than or equal to aggregate container limits of 4Mi',
      ],
    },
  ])("have $expected with $resources", ({ resources, of, expected }) => {
    const texts = expected.map((text) => `${path}.${text}`);
    expect(problems(["resources", resources], containers(...of))).toEqual(texts);
  });

  it.each<{ first: JsonObject; second: JsonObject; sum: string | undefined }>([
    { first: large, second: { ...small, restartPolicy: "Always" }, sum: "2" },
    { first: { ...small, restartPolicy: "Always" }, second: small, sum: "1200m" },
    { first: { requests: { cpu: "300m" }, restartPolicy: "Always" }, second: small, sum: undefined },
  ])("ask for $sum when $first and $second run before them", ({ first, second, sum }) => {
    const asked = [first, second].map(({ requests = {}, restartPolicy }, index) => ({
      ...containerOf(`i${index}`),
      resources: { requests },
      ...(restartPolicy === undefined ? {} : { restartPolicy }),
    }));
    const text = `must be greater than or equal to aggregate container requests of ${sum}`;
    const given: Change = ["resources", { requests: { cpu: "1" } }];
    expect(problems(given, containers({ requests: { cpu: "100m" } }), ["initContainers", asked])).toEqual(
      sum === undefined ? [] : [`${path}.requests[cpu]: Invalid value: "1": ${text}`],
    );
  });
});
