import type { JsonObject } from "../../core/json.ts";
import { textAt } from "../../core/read-json.ts";

/** Objects of one kind that are still in a namespace. */
export interface RemainingKind {
  readonly group: string;
  readonly plural: string;
  readonly count: number;
  /** The finalizers on them, each as often as it is on one. */
  readonly finalizers: readonly string[];
}

/** What is left of a namespace. */
export interface NamespaceRest {
  readonly remaining: readonly RemainingKind[];
  /** Why objects of a kind could not be deleted, one text for each kind. */
  readonly failures: readonly string[];
}

interface Wanted {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/**
 * The conditions of a namespace that is being deleted, after those of others. An unchanged one keeps its time.
 * Source: Kubernetes, pkg/controller/namespace/deletion/status_condition_utils.go.
 */
export function namespaceConditions(
  old: readonly JsonObject[],
  { remaining, failures }: NamespaceRest,
  now: string,
): readonly JsonObject[] {
  const wanted: readonly Wanted[] = [
    {
      type: "NamespaceDeletionDiscoveryFailure",
      status: "False",
      reason: "ResourcesDiscovered",
      message: "All resources successfully discovered",
    },
    {
      type: "NamespaceDeletionGroupVersionParsingFailure",
      status: "False",
      reason: "ParsedGroupVersions",
      message: "All legacy kube types successfully parsed",
    },
    contentFailure(failures),
    contentRemaining(remaining),
    finalizersRemaining(remaining),
  ];
  const types = new Set(wanted.map(({ type }) => type));
  const known = new Map(old.map((condition) => [textAt(condition, "type") ?? "", condition]));
  const foreign = old.filter((condition) => !types.has(textAt(condition, "type") ?? ""));
  return [...foreign, ...wanted.map((one) => withTime(one, known.get(one.type), now))];
}

function withTime(wanted: Wanted, known: JsonObject | undefined, now: string): JsonObject {
  const isSame =
    known?.["status"] === wanted.status && known["reason"] === wanted.reason && known["message"] === wanted.message;
  const since = known?.["status"] === wanted.status ? textAt(known, "lastTransitionTime") : undefined;
  return isSame ? known : { ...wanted, lastTransitionTime: since ?? now };
}

function contentFailure(failures: readonly string[]): Wanted {
  const type = "NamespaceDeletionContentFailure";
  if (failures.length === 0) {
    const message = "All content successfully deleted, may be waiting on finalization";
    return { type, status: "False", reason: "ContentDeleted", message };
  }
  const texts = [...failures].sort().join("\n");
  const message = `Failed to delete all resource types, ${failures.length} remaining: ${texts}`;
  return { type, status: "True", reason: "ContentDeletionFailed", message };
}

function contentRemaining(remaining: readonly RemainingKind[]): Wanted {
  const type = "NamespaceContentRemaining";
  if (remaining.length === 0) {
    return { type, status: "False", reason: "ContentRemoved", message: "All content successfully removed" };
  }
  const texts = remaining
    .map(({ group, plural, count }) => `${plural}.${group} has ${count} resource instances`)
    .sort();
  const message = `Some resources are remaining: ${texts.join(", ")}`;
  return { type, status: "True", reason: "SomeResourcesRemain", message };
}

function finalizersRemaining(remaining: readonly RemainingKind[]): Wanted {
  const type = "NamespaceFinalizersRemaining";
  const counts = new Map<string, number>();
  for (const finalizer of remaining.flatMap((kind) => kind.finalizers)) {
    counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  }
  if (counts.size === 0) {
    const message = "All content-preserving finalizers finished";
    return { type, status: "False", reason: "ContentHasNoFinalizers", message };
  }
  const texts = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`).sort();
  const message = `Some content in the namespace has finalizers remaining: ${texts.join(", ")}`;
  return { type, status: "True", reason: "SomeFinalizersRemain", message };
}
