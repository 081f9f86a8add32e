import { isJsonEqual } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { isTrueAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { controllerQueue } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";

/** `onstart`: kept right once, when the hub starts. `true`: always. Others belong to their makers. */
const managedLabel = "kube-aggregator.kubernetes.io/automanaged";
const group = "apiregistration.k8s.io";
const plural = "apiservices";
const customPriorities = [1000, 100] as const;

/** The versions of built-in groups: how early clients list the group, and the version in it. */
const builtInVersions = new Map<string, JsonObject>(
  (
    [
      ["v1.", 18_000, 1],
      ["v1.apps", 17_800, 15],
      ["v1.events.k8s.io", 17_750, 15],
      ["v1.authentication.k8s.io", 17_700, 15],
      ["v1.authorization.k8s.io", 17_600, 15],
      ["v1.autoscaling", 17_500, 15],
      ["v2.autoscaling", 17_500, 30],
      ["v1.batch", 17_400, 15],
      ["v1.certificates.k8s.io", 17_300, 15],
      ["v1.networking.k8s.io", 17_200, 15],
      ["v1.policy", 17_100, 15],
      ["v1.rbac.authorization.k8s.io", 17_000, 15],
      ["v1.storage.k8s.io", 16_800, 15],
      ["v1.admissionregistration.k8s.io", 16_700, 15],
      ["v1.apiextensions.k8s.io", 16_700, 15],
      ["v1.scheduling.k8s.io", 16_600, 15],
      ["v1.coordination.k8s.io", 16_500, 15],
      ["v1.node.k8s.io", 16_300, 15],
      ["v1.discovery.k8s.io", 16_200, 15],
    ] as const
  ).map(([name, ...priorities]) => [name, specOf(name, priorities)]),
);

/**
 * Makes an APIService for each version of a group that the hub serves, and deletes those of CustomResourceDefinitions whose
 * version is no longer served. Source: Kubernetes, kube-aggregator autoregister_controller.go, pkg/controlplane
 * crdregistration_controller.go and aggregator.go.
 */
export function startApiServiceController(scope: ControllerScope): Controller {
  const writer = hubWriter(scope.operations, "kube-apiserver", "kube-apiserver");
  /** What is kept right when the hub starts, and was not yet. */
  const due = new Set(builtInVersions.keys());
  const namesByCrd = new Map<string, readonly string[]>();
  /** How many CustomResourceDefinitions serve each version. */
  const counts = new Map<string, number>();

  const keep = async (name: string, wanted: JsonObject | undefined): Promise<void> => {
    const live = writer.get(group, plural, { name });
    const managed = managementOf(live);
    if ((builtInVersions.has(name) || managed === "onstart") && !due.has(name)) return;
    if (live === undefined) {
      if (wanted !== undefined) await writer.createIfMissing(apiService(name, wanted));
    } else if (managed === "onstart" || managed === "true") {
      if (wanted === undefined) await writer.remove(live);
      else if (!isJsonEqual(live["spec"] ?? null, wanted)) await writer.update({ ...live, spec: wanted });
    }
    due.delete(name);
  };

  const queue = controllerQueue({
    scope,
    name: "autoregister",
    concurrency: 5,
    work: (name) =>
      keep(name, builtInVersions.get(name) ?? (counts.has(name) ? specOf(name, customPriorities) : undefined)),
  });
  const count = (name: string, more: number): void => {
    const sum = (counts.get(name) ?? 0) + more;
    if (sum === 0) counts.delete(name);
    else counts.set(name, sum);
    queue.add(name);
  };
  for (const name of builtInVersions.keys()) queue.add(name);
  scope.feed.on(group, plural, ({ object, isFirst }) => {
    const { name } = object.metadata;
    if (isFirst && managementOf(object) === "onstart") due.add(name);
    queue.add(name);
  });
  scope.feed.on("apiextensions.k8s.io", "customresourcedefinitions", ({ kind, object }) => {
    const crdName = object.metadata.name;
    const before = namesByCrd.get(crdName) ?? [];
    const now = kind === "deleted" ? [] : servedNames(object);
    namesByCrd.set(crdName, now);
    if (kind === "deleted") namesByCrd.delete(crdName);
    if (isJsonEqual(before, now)) return;
    for (const name of before) count(name, -1);
    for (const name of now) count(name, 1);
  });
  return { stop: () => queue.stop() };
}

function managementOf(service: KubeObject | undefined): string | undefined {
  return textAt(service, "metadata", "labels", managedLabel);
}

function servedNames(crd: KubeObject): readonly string[] {
  const crdGroup = textAt(crd, "spec", "group") ?? "";
  return objectsAt(crd, "spec", "versions")
    .filter((version) => isTrueAt(version, "served"))
    .map((version) => `${textAt(version, "name") ?? ""}.${crdGroup}`);
}

/** The version is what comes before the first dot. */
function specOf(name: string, [groupPriorityMinimum, versionPriority]: readonly [number, number]): JsonObject {
  const dot = name.indexOf(".");
  const ofGroup = name.slice(dot + 1);
  return {
    ...(ofGroup === "" ? {} : { group: ofGroup }),
    groupPriorityMinimum,
    version: name.slice(0, dot),
    versionPriority,
  };
}

function apiService(name: string, spec: JsonObject): KubeObject {
  const managed = builtInVersions.has(name) ? "onstart" : "true";
  return {
    apiVersion: `${group}/v1`,
    kind: "APIService",
    metadata: { name, labels: { [managedLabel]: managed } },
    spec,
  };
}
