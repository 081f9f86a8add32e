import type { KubeObject } from "../../model/kubernetes.ts";
import type { ListResult, ServedObject, Target } from "../operations/operations.ts";
import type { HubScope } from "./hub-scope.ts";
import { keyOf, prefixOf } from "./hub-scope.ts";
import { scaleOf, scalePathsOf } from "./scale-object.ts";

export function readServed(scope: HubScope, target: Target): ServedObject | undefined {
  const { definition, namespace, name } = target;
  const stored = scope.store.get(keyOf(definition, namespace, name));
  if (stored === undefined) return undefined;
  const served = scope.views.show(definition, stored);
  const paths = scalePathsOf(target);
  if (paths === undefined) return served;
  const scale = scaleOf(served.object, paths);
  return { object: scale, json: Buffer.from(JSON.stringify(scale), "utf8") };
}

export function readObject(scope: HubScope, target: Target): KubeObject | undefined {
  return readServed(scope, target)?.object;
}

export function listObjects(scope: HubScope, { definition, namespace }: Omit<Target, "name">): ListResult {
  const { items, revision } = scope.store.list(prefixOf(definition, namespace));
  return { items: items.map((stored) => scope.views.show(definition, stored).object), revision };
}
