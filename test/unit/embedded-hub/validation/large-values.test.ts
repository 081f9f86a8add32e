import { expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { validateQuota } from "../../../../src/embedded-hub/validation/validate-quota.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";
import { changed, podSpec } from "./validation-builders.ts";

const quota = (spec: JsonObject) =>
  validateQuota({ apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "a" }, spec }, undefined);
const volume = (source: JsonObject) =>
  validatePodSpec(changed(podSpec, ["volumes", [{ name: "v", ...source }]]), "spec", true);

const large = "a".repeat(1024 ** 2);
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const hugePages = Object.fromEntries(many(200, (index) => [`hugepages-${index + 1}`, "1"]));

it.each<readonly [string, () => readonly unknown[]]>([
  ["scopes of a quota", () => quota({ scopes: [large, ...many(200, () => "a")] })],
  ["scopes of a quota that fit to no amount", () => quota({ scopes: many(200, () => "BestEffort"), hard: hugePages })],
  [
    "expressions of a quota that fit to no amount",
    () => {
      const matchExpressions = many(200, () => ({ scopeName: "BestEffort", operator: "Exists" }));
      return quota({ hard: hugePages, scopeSelector: { matchExpressions } });
    },
  ],
  ["hosts of a volume", () => volume({ quobyte: { volume: "v", registry: `${large}${",".repeat(1500)}` } })],
  [
    "files of a projected Secret",
    () => {
      const secret = { name: large, items: many(1500, () => ({ key: "k", path: "p" })) };
      return volume({ projected: { defaultMode: 420, sources: [{ secret }] } });
    },
  ],
])("A249: many wrong %s do not print all of them for each", (_what, judge) => {
  expect(judge().length).toBeGreaterThanOrEqual(199);
  expect(leastCpuMs(judge, 200)).toBeLessThan(200);
});
