import { canonicalJson, isJsonEqual } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { controllerQueue } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";
import { matchesSelector } from "../selectors/object-selector.ts";

const name = "clusterrole-aggregation-controller";

/**
 * Gives a ClusterRole with an aggregationRule the rules of those that it selects, by name, each once.
 * Source: Kubernetes, pkg/controller/clusterroleaggregation.
 */
export function startClusterRoleAggregation(scope: ControllerScope): Controller {
  const writer = hubWriter(scope.operations, name, name);
  const aggregating = new Set<string>();
  const queue = controllerQueue({
    scope,
    name,
    work: async (roleName) => {
      const roles = writer.list("rbac.authorization.k8s.io", "clusterroles");
      const role = roles.find(({ metadata }) => metadata.name === roleName);
      if (role === undefined || !isAggregating(role)) return;
      const rules = gatheredRules(role, roles);
      if (isJsonEqual(rules, objectsAt(role, "rules"))) return;
      const { apiVersion, kind } = role;
      const object = { apiVersion, kind, metadata: { name: roleName }, rules };
      await writer.patch(role, { kind: "apply", object, isForced: true });
    },
  });
  scope.feed.on("rbac.authorization.k8s.io", "clusterroles", ({ kind, object }) => {
    if (kind !== "deleted" && isAggregating(object)) aggregating.add(object.metadata.name);
    else aggregating.delete(object.metadata.name);
    for (const roleName of aggregating) queue.add(roleName);
  });
  return { stop: () => queue.stop() };
}

function isAggregating(role: KubeObject): boolean {
  return objectsAt(role, "aggregationRule", "clusterRoleSelectors").length > 0;
}

function gatheredRules(role: KubeObject, roles: readonly KubeObject[]): readonly JsonObject[] {
  const sorted = [...roles].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const gathered = objectsAt(role, "aggregationRule", "clusterRoleSelectors").flatMap((selector) =>
    sorted
      .filter((source) => source !== role && matchesSelector(selector, source.metadata.labels))
      .flatMap((source) => objectsAt(source, "rules")),
  );
  return [...new Map(gathered.map((rule) => [canonicalJson(rule), rule])).values()];
}
