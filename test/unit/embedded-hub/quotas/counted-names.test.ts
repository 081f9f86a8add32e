import { expect, it } from "vitest";
import { countedKind, countNames, isNeverUsed } from "../../../../src/embedded-hub/quotas/counted-names.ts";

it.each([
  ["pods", "/pods"],
  ["cpu", "/pods"],
  ["limits.memory", "/pods"],
  ["requests.example.org/gpu", "/pods"],
  ["hugepages-2Mi", "/pods"],
  ["example.org/gpu", undefined],
  ["requests.storage", undefined],
  ["services.nodeports", "/services"],
  ["secrets", "/secrets"],
  ["count/secrets", "/secrets"],
  ["count/deployments.apps", "apps/deployments"],
  ["count/events", undefined],
  ["requests.cpu", "/pods"],
  ["limits.ephemeral-storage", "/pods"],
  ["requests.hugepages-2Mi", "/pods"],
  ["limits.hugepages-2Mi", undefined],
  ["limits.example.org/gpu", undefined],
  ["requests.kubernetes.io/gpu", undefined],
  ["requests.gpu", undefined],
  ["services", "/services"],
  ["services.loadbalancers", "/services"],
  ["configmaps", "/configmaps"],
  ["resourcequotas", "/resourcequotas"],
  ["endpoints", undefined],
  ["count/pods", "/pods"],
  ["count/gears.a.example.org", "a.example.org/gears"],
  ["count/events.events.k8s.io", undefined],
  ["count/bindings", undefined],
])("the amount %s counts %s", (name, kind) => {
  expect(countedKind(name)).toBe(kind);
});

it.each([
  ["persistentvolumeclaims", true],
  ["requests.storage", true],
  ["count/statefulsets.apps", true],
  ["gold.storageclass.storage.k8s.io/requests.storage", true],
  ["gold.storageclass.storage.k8s.io/persistentvolumeclaims", true],
  ["pods", false],
  ["count/deployments.apps", false],
  ["count/controllerrevisions.apps", false],
])("the amount %s is 0 for ever: %s", (name, expected) => {
  expect(isNeverUsed(name)).toBe(expected);
});

it.each([
  ["/pods", ["count/pods", "pods"]],
  ["/secrets", ["count/secrets", "secrets"]],
  ["/endpoints", ["count/endpoints"]],
  ["apps/deployments", ["count/deployments.apps"]],
  ["a.example.org/pods", ["count/pods.a.example.org"]],
])("objects of %s are counted as %j", (kind, names) => {
  expect(countNames(kind)).toEqual(names);
});
