import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  validateApiService,
  validateApiServiceStatus,
} from "../../../../src/embedded-hub/validation/validate-api-service.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { problemsOf, textsOf } from "./validation-builders.ts";

const spec = { group: "a.io", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 };

function made(change: JsonObject, metadata: JsonObject = {}): KubeObject {
  return {
    ...{ apiVersion: "apiregistration.k8s.io/v1", kind: "APIService" },
    metadata: { name: "v1.a.io", ...metadata },
    spec: { ...spec, ...change },
  };
}

describe("validateApiService", () => {
  it.each<{ change: JsonObject; metadata?: JsonObject; problems: readonly string[] }>([
    { change: {}, problems: [] },
    { change: {}, metadata: { name: "v1.a.io2" }, problems: ["Invalid metadata.name"] },
    { change: {}, metadata: { name: "v2.a.io" }, problems: ["Invalid metadata.name"] },
    { change: {}, metadata: { generateName: "v1." }, problems: ["Invalid metadata.generateName"] },
    // What is wrong with it as a name of any object is named elsewhere.
    { change: {}, metadata: { name: "a/b" }, problems: [] },
    { change: { group: "" }, metadata: { name: "v1." }, problems: [] },
    { change: { group: "", version: "v2" }, metadata: { name: "v2." }, problems: ["Required spec.group"] },
    { change: { group: "A" }, metadata: { name: "v1.A" }, problems: ["Invalid spec.group"] },
    { change: { version: "1" }, metadata: { name: "1.a.io" }, problems: ["Invalid spec.version"] },
    { change: { groupPriorityMinimum: 0 }, problems: ["Invalid spec.groupPriorityMinimum"] },
    { change: { groupPriorityMinimum: 20_000, versionPriority: 1000 }, problems: [] },
    { change: { groupPriorityMinimum: 20_001 }, problems: ["Invalid spec.groupPriorityMinimum"] },
    { change: { versionPriority: 0 }, problems: ["Invalid spec.versionPriority"] },
    { change: { versionPriority: 1001 }, problems: ["Invalid spec.versionPriority"] },
    { change: { caBundle: "YQ==" }, problems: ["Invalid spec.caBundle"] },
    { change: { caBundle: "", insecureSkipTLSVerify: false }, problems: [] },
    { change: { insecureSkipTLSVerify: true }, problems: ["Invalid spec.insecureSkipTLSVerify"] },
  ])("finds $problems in $change", ({ change, metadata = {}, problems }) => {
    expect(problemsOf(validateApiService(made(change, metadata)))).toEqual(problems);
  });

  it("refuses another server, and names what is not supported", () => {
    const service = { namespace: "shop", name: "api", port: 443 };
    expect(textsOf(validateApiService(made({ service, caBundle: "YQ==" })))).toEqual([
      "spec.service: Forbidden: this hub calls no other API servers: aggregation is not supported",
    ]);
  });
});

it("validateApiServiceStatus takes each status of a condition, and no other", () => {
  const conditions = ["True", "False", "Unknown", "Odd", ""].map((status) => ({ type: "Available", status }));
  expect(textsOf(validateApiServiceStatus({ ...made({}), status: { conditions } }))).toEqual([
    'status.conditions[3].status: Unsupported value: "Odd": supported values: "True", "False", "Unknown"',
    'status.conditions[4].status: Unsupported value: "": supported values: "True", "False", "Unknown"',
  ]);
});
