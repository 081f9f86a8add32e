import { isJsonEqual } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Quantity } from "../../core/formats/quantity.ts";
import { formatQuantity } from "../../core/formats/quantity.ts";
import { objectAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { addTo } from "../amounts/pod-amounts.ts";
import type { Amounts } from "../amounts/pod-amounts.ts";
import { countedKind, isNeverUsed } from "../quotas/counted-names.ts";
import type { CountedKind } from "../quotas/counted-names.ts";
import { isInScope } from "../quotas/decide-charge.ts";
import type { QuotaLedger } from "../quotas/quota-ledger.ts";
import { isTerminating, scopesOf } from "../quotas/scopes.ts";
import { podEndMs, usageOf } from "../quotas/usage.ts";
import { controllerQueue, queueKeyOf, splitQueueKey } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";
import type { FeedEvent } from "./object-feed.ts";

/** After this, what another client wrote into a status is put right. */
const resetMs = 10_000;

/**
 * Keeps the status of ResourceQuotas: what is in force, and what is used. Writes that use more are charged by admission; what
 * uses less is counted here. Source: Kubernetes, pkg/controller/resourcequota.
 */
export function startQuotaController(scope: ControllerScope, ledger: QuotaLedger): Controller {
  const writer = hubWriter(scope.operations, "resourcequota-controller");
  /** The names of the amounts of each quota, by namespace and name. */
  const quotas = new Map<string, Map<string, readonly string[]>>();
  const queue = controllerQueue({
    scope,
    name: "resource-quota",
    concurrency: 4,
    work: (key) => ledger.alone(splitQueueKey(key).namespace, () => sync(key)),
  });

  async function sync(key: string): Promise<number | undefined> {
    const quota = writer.get("", "resourcequotas", splitQueueKey(key));
    if (quota === undefined) return undefined;
    const hard = objectAt(quota, "spec", "hard") ?? {};
    const { used, recheckInMs } = await countUsed(scope, ledger, quota, Object.keys(hard));
    const known = { ...objectAt(quota, "status", "used"), ...used };
    const kept = Object.fromEntries(Object.entries(known).filter(([name]) => Object.hasOwn(hard, name)));
    const status: JsonObject = Object.keys(hard).length === 0 ? {} : { hard, used: kept };
    if (!isJsonEqual(objectAt(quota, "status") ?? {}, status)) await writer.update({ ...quota, status }, "status");
    return recheckInMs;
  }

  /** Has the quotas of a namespace counted that count a kind. */
  function enqueue(namespace: string, isCounted: (name: string) => boolean): void {
    for (const [name, amounts] of quotas.get(namespace) ?? []) {
      if (amounts.some(isCounted)) queue.add(`${namespace}/${name}`);
    }
  }

  scope.feed.on("", "resourcequotas", ({ kind, object, previous }) => {
    const { namespace = "", name } = object.metadata;
    const of = quotas.get(namespace) ?? new Map<string, readonly string[]>();
    quotas.set(namespace, of);
    if (kind === "deleted") of.delete(name);
    else of.set(name, Object.keys(objectAt(object, "spec", "hard") ?? {}));
    if (of.size === 0) quotas.delete(namespace);
    // Of one that is deleted, the timer ends.
    const isChanged = kind !== "modified" || !isJsonEqual(object["spec"] ?? null, previous?.["spec"] ?? null);
    if (isChanged) queue.add(queueKeyOf(object));
    else if (!isJsonEqual(hardOf(object, "status"), hardOf(object, "spec")))
      queue.addAfter(queueKeyOf(object), resetMs);
  });
  scope.feed.onAny((event) => {
    // All quotas are counted in the beginning.
    if (quotas.size === 0 || event.isFirst) return;
    const { namespace } = event.object.metadata;
    const kind = `${event.group}/${event.plural}`;
    if (namespace !== undefined && quotas.has(namespace) && concerns(event, kind)) {
      enqueue(namespace, (name) => countedKind(name) === kind);
    }
  });
  // A kind that is served from now on.
  scope.feed.on("apiextensions.k8s.io", "customresourcedefinitions", ({ kind, object }) => {
    if (kind === "deleted") return;
    for (const namespace of quotas.keys()) enqueue(namespace, (name) => name === `count/${object.metadata.name}`);
  });
  ledger.onStale((namespace, names) => {
    for (const name of names) queue.add(`${namespace}/${name}`);
  });

  function concerns({ kind, object, previous }: FeedEvent, of: CountedKind): boolean {
    if (kind === "deleted") return true;
    if (kind === "modified") return previous !== undefined && usesOther(of, object, previous);
    const { uid, namespace = "" } = object.metadata;
    return !ledger.underWay(namespace).some((write) => write.object.metadata.uid === uid);
  }

  function usesOther(of: CountedKind, object: KubeObject, previous: KubeObject): boolean {
    const [now, before] = [object, previous].map((one) => {
      const amounts = [...usageOf(of, one, scope.clock.nowMs())].map(([name, { nanos }]) => [name, String(nanos)]);
      // Its end changes when it counts, and a deadline which quotas count it.
      return of === "/pods" ? [amounts, String(podEndMs(one)), isTerminating(one)] : amounts;
    });
    return !isJsonEqual(now ?? null, before ?? null);
  }

  return { stop: () => queue.stop() };
}

function hardOf(quota: KubeObject, half: "spec" | "status"): JsonObject {
  return objectAt(quota, half, "hard") ?? {};
}

interface Counted {
  /** By the names of those amounts that can be counted. */
  readonly used: JsonObject;
  /** When a Pod that is being deleted counts no longer. */
  readonly recheckInMs: number | undefined;
}

async function countUsed(
  scope: ControllerScope,
  ledger: QuotaLedger,
  quota: KubeObject,
  names: readonly string[],
): Promise<Counted> {
  const { operations, clock, turns } = scope;
  const { namespace = "" } = quota.metadata;
  const nowMs = clock.nowMs();
  const scopes = scopesOf(quota);
  const turn = turns.begin();
  const writes = ledger.underWay(namespace);
  const zero = { nanos: 0n, format: "DecimalSI" } as const;
  const used = new Map<string, Quantity>(names.filter(isNeverUsed).map((name) => [name, zero]));
  let endMs = Infinity;
  for (const kind of new Set(names.map(countedKind))) {
    const [group = "", plural = ""] = (kind ?? "").split("/");
    const definition = operations.definitionOf(group, plural);
    if (kind === undefined || definition?.isNamespaced !== true) continue;
    const tracked = names.filter((name) => countedKind(name) === kind);
    for (const name of tracked) used.set(name, zero);
    // Both at once: what is written meanwhile is charged, or counted again.
    const forms = new Map(operations.list({ definition, namespace }).items.map((one) => [one.metadata.uid, [one]]));
    for (const { kind: of, object } of writes) {
      const { uid } = object.metadata;
      if (of === kind) forms.set(uid, [...(forms.get(uid) ?? []), object]);
    }
    for (const objects of forms.values()) {
      await turn();
      const counted = objects.filter((one) => isInScope(kind, scopes, one));
      addTo(used, mostOf(counted.map((one) => usageOf(kind, one, nowMs))));
      if (kind === "/pods")
        for (const one of counted) if (podEndMs(one) > nowMs) endMs = Math.min(endMs, podEndMs(one));
    }
  }
  const own = [...used].filter(([name]) => names.includes(name));
  return {
    used: Object.fromEntries(own.map(([name, amount]) => [name, formatQuantity(amount)])),
    recheckInMs: endMs === Infinity ? undefined : endMs - nowMs + 1,
  };
}

/** The largest of each amount: of an object that is being changed, what it was and what it will be. */
function mostOf([first = new Map(), ...others]: readonly Amounts[]): Amounts {
  const most = new Map(first);
  for (const other of others) {
    for (const [name, amount] of other) if (amount.nanos > (most.get(name)?.nanos ?? -1n)) most.set(name, amount);
  }
  return most;
}
