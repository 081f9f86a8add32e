import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { changed, podSpec, problemsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

const container = "spec.containers[0]";

function problems(...changes: Change[]): string[] {
  return problemsOf(validatePodSpec(changed(podSpec, ...changes), "spec", true));
}

describe("variables", () => {
  const variable = (rest: JsonObject): Change => ["containers.0.env", [{ name: "A", ...rest }]];
  const field = (fieldPath: string): Change => variable({ valueFrom: { fieldRef: { apiVersion: "v1", fieldPath } } });
  const resource = (name: string): Change => variable({ valueFrom: { resourceFieldRef: { resource: name } } });
  const key = (name: string, of: JsonObject): Change => variable({ valueFrom: { [name]: of } });
  const at = `${container}.env[0].valueFrom`;

  it.each<{ change: Change; expected: readonly string[] }>([
    { change: variable({ value: "x" }), expected: [] },
    { change: ["containers.0.env", [{ value: "x" }]], expected: [`Required ${container}.env[0].name`] },
    { change: ["containers.0.env", [{ name: "A=B" }]], expected: [`Invalid ${container}.env[0].name`] },
    { change: ["containers.0.env", [{ name: "ä" }]], expected: [`Invalid ${container}.env[0].name`] },
    { change: variable({ valueFrom: {} }), expected: [`Invalid ${at}`] },
    { change: field("metadata.name"), expected: [] },
    { change: field("status.podIP"), expected: [] },
    { change: field("metadata.labels"), expected: [`NotSupported ${at}.fieldRef.fieldPath`] },
    { change: field("spec.odd"), expected: [`Invalid ${at}.fieldRef.fieldPath`] },
    { change: field(""), expected: [`Required ${at}.fieldRef.fieldPath`] },
    { change: field("metadata.labels['a']"), expected: [] },
    { change: field("metadata.labels['a b']"), expected: [`Invalid ${at}.fieldRef`] },
    { change: field("metadata.annotations['A']"), expected: [] },
    { change: field("metadata.annotations['a b']"), expected: [`Invalid ${at}.fieldRef`] },
    { change: field("metadata.name['a']"), expected: [`Invalid ${at}.fieldRef.fieldPath`] },
    {
      change: variable({ valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }),
      expected: [`Required ${at}.fieldRef.apiVersion`],
    },
    { change: resource("limits.cpu"), expected: [] },
    { change: resource("limits.hugepages-2Mi"), expected: [] },
    { change: resource("limits.odd"), expected: [`NotSupported ${at}.resourceFieldRef.resource`] },
    { change: resource(""), expected: [`Required ${at}.resourceFieldRef.resource`] },
    { change: key("secretKeyRef", { name: "s", key: "k" }), expected: [] },
    { change: key("secretKeyRef", { name: "S_", key: "k" }), expected: [`Invalid ${at}.secretKeyRef.name`] },
    { change: key("configMapKeyRef", { name: "s" }), expected: [`Required ${at}.configMapKeyRef.key`] },
    { change: key("configMapKeyRef", { name: "s", key: "a b" }), expected: [`Invalid ${at}.configMapKeyRef.key`] },
    {
      change: variable({ value: "x", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }),
      expected: [`Invalid ${at}`],
    },
    {
      change: variable({
        valueFrom: { secretKeyRef: { name: "s", key: "k" }, configMapKeyRef: { name: "s", key: "k" } },
      }),
      expected: [`Invalid ${at}`],
    },
    { change: ["containers.0.envFrom", [{ prefix: "P", secretRef: { name: "s" } }]], expected: [] },
    {
      change: ["containers.0.envFrom", [{ prefix: "P=", secretRef: { name: "s" } }]],
      expected: [`Invalid ${container}.envFrom[0].prefix`],
    },
    {
      change: ["containers.0.envFrom", [{ secretRef: {} }]],
      expected: [`Required ${container}.envFrom[0].secretRef.name`],
    },
    {
      change: ["containers.0.envFrom", [{ configMapRef: { name: "S_" } }]],
      expected: [`Invalid ${container}.envFrom[0].configMapRef.name`],
    },
    { change: ["containers.0.envFrom", [{}]], expected: [`Invalid ${container}.envFrom`] },
    {
      change: ["containers.0.envFrom", [{ configMapRef: { name: "s" }, secretRef: { name: "s" } }]],
      expected: [`Invalid ${container}.envFrom`],
    },
  ])("have $expected with $change", ({ change, expected }) => {
    expect(problems(change)).toEqual(expected);
  });
});
