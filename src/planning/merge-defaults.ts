import { isJsonEqual, isJsonObject } from "../core/json.ts";
import type { Declared } from "../model/declared-fleet.ts";
import type { ClusterDefaults } from "../model/generated/cluster-defaults.ts";
import type { Cluster, ClusterSpec } from "../model/generated/cluster.ts";
import type { Problem } from "../model/problem.ts";
import { matchesSelector } from "../model/selector.ts";

export interface MergedSettings {
  /** The file's spec with what rules add; a field that the file names is never changed. */
  readonly spec: ClusterSpec;
  readonly problems: readonly Problem[];
}

interface SettingOf {
  readonly rule: Declared<ClusterDefaults>;
  readonly value: unknown;
}

/**
 * Adds what ClusterDefaults give to a cluster's spec: `agent`, `heartbeat`, `deletionPolicy`, field by field (lists as a
 * whole). The file wins over rules; of rules the highest priority wins; equal priority with different values is
 * E_DEFAULTS_CONFLICT at both, and the field stays unset.
 */
export function mergeDefaults(
  cluster: Cluster,
  labels: Readonly<Record<string, string>>,
  rules: readonly Declared<ClusterDefaults>[],
): MergedSettings {
  const { name, namespace } = cluster.metadata;
  const matching = rules
    .filter(({ object }) => object.metadata.namespace === undefined || object.metadata.namespace === namespace)
    .filter(({ object }) => matchesSelector(object.spec.selector, { name, labels }));
  if (matching.length === 0) return { spec: cluster.spec ?? {}, problems: [] };

  const settings = new Map<string, SettingOf>();
  const contested = new Map<string, readonly [SettingOf, SettingOf]>();
  for (const rule of matching) {
    const { agent, heartbeat, deletionPolicy } = rule.object.spec;
    for (const [path, value] of leavesOf({ agent, heartbeat, deletionPolicy })) {
      const best = settings.get(path);
      if (best === undefined || priorityOf(rule) > priorityOf(best.rule)) {
        settings.set(path, { rule, value });
        contested.delete(path);
      } else if (priorityOf(rule) === priorityOf(best.rule) && !isJsonEqual(value, best.value)) {
        contested.set(path, [best, { rule, value }]);
      }
    }
  }
  const fileLeaves = new Set([...leavesOf(cluster.spec ?? {})].map(([path]) => path));
  const spec = structuredClone(cluster.spec ?? {}) as Record<string, unknown>;
  for (const [path, { value }] of settings) {
    if (!contested.has(path) && !fileLeaves.has(path)) setLeaf(spec, path.split("\u0000"), value);
  }
  const problems = [...contested]
    .filter(([path]) => !fileLeaves.has(path))
    .flatMap(([path, pair]) => conflictAtBoth(path.replaceAll("\u0000", "."), cluster, pair));
  return { spec: spec, problems };
}

function priorityOf(rule: Declared<ClusterDefaults>): number {
  return rule.object.spec.priority ?? 0;
}

function* leavesOf(value: object, prefix: readonly string[] = []): Generator<readonly [string, unknown]> {
  for (const [key, item] of Object.entries(value) as [string, unknown][]) {
    if (item === undefined) continue;
    if (isJsonObject(item)) yield* leavesOf(item, [...prefix, key]);
    else yield [[...prefix, key].join("\u0000"), item];
  }
}

function setLeaf(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key = "", ...rest] = path;
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const below = target[key];
  const child: Record<string, unknown> = isJsonObject(below) ? { ...below } : {};
  target[key] = child;
  setLeaf(child, rest, value);
}

function conflictAtBoth(path: string, cluster: Cluster, [one, other]: readonly [SettingOf, SettingOf]): Problem[] {
  return [
    [one, other],
    [other, one],
  ].flatMap(([here, there]) => {
    if (!here || !there) return [];
    const { position, object } = here.rule;
    return [
      {
        code: "E_DEFAULTS_CONFLICT" as const,
        severity: "error" as const,
        file: position.file,
        line: position.line,
        column: position.column,
        message:
          `${path} of cluster ${cluster.metadata.namespace}/${cluster.metadata.name} is set here and differently in ` +
          `${there.rule.position.file}:${there.rule.position.line}, both with priority ${priorityOf(here.rule)}`,
        object: `ClusterDefaults/${object.metadata.name}`,
      },
    ];
  });
}
