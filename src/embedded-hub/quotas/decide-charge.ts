import { formatQuantity } from "../../core/formats/quantity.ts";
import { memoizeWeak } from "../../core/memoize-weak.ts";
import { textMapAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { admissionForbidden } from "../admission/admission-forbidden.ts";
import type { Amounts } from "../amounts/pod-amounts.ts";
import { addAmounts, amountsOf } from "../amounts/pod-amounts.ts";
import type { ApiFailure } from "../failures/api-failure.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import type { CountedKind } from "./counted-names.ts";
import { countedKind } from "./counted-names.ts";
import type { Scope } from "./scopes.ts";
import { isTerminating, podFitsScope, scopesOf } from "./scopes.ts";
import { unnamedAmounts, usageOf } from "./usage.ts";

// Source of this file: k8s.io/apiserver, admission/plugin/resourcequota.

export interface Quota {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** What is in force: the controller copied it from spec. */
  readonly hard: Amounts;
  readonly used: Amounts;
}

export const readQuota = memoizeWeak((object: KubeObject): Quota => ({
  name: object.metadata.name,
  scopes: scopesOf(object),
  hard: amountsOf(textMapAt(object, "status", "hard")),
  used: amountsOf(textMapAt(object, "status", "used")),
}));

export function kindOfRequest({ definition }: AdmissionRequest): CountedKind {
  return `${definition.group}/${definition.plural}`;
}

/** True for a write that may use more of something that quotas count. */
export function mayUseMore({ definition, operation, subresource, object, oldObject }: AdmissionRequest): boolean {
  if (subresource !== undefined || object === undefined) return false;
  if (operation === "CREATE") return true;
  if (operation !== "UPDATE" || definition.group !== "" || oldObject === undefined) return false;
  if (definition.plural === "services") return true;
  return definition.plural === "pods" && isTerminating(object) !== isTerminating(oldObject);
}

/** True when a quota with these scopes counts the object. */
export function isInScope(kind: CountedKind, scopes: readonly Scope[], object: KubeObject): boolean {
  return scopes.every((scope) => kind === "/pods" && podFitsScope(object, scope));
}

/** The new `used` of each quota that a write changes. Throws 403 when one of them has not enough left. */
export function decideCharge(
  request: AdmissionRequest & { readonly object: KubeObject },
  quotas: readonly Quota[],
  nowMs: number,
): ReadonlyMap<string, Amounts> {
  const { object, oldObject } = request;
  const kind = kindOfRequest(request);
  const counting = quotas.filter(({ name, scopes, hard, used }) => {
    if (!isInScope(kind, scopes, object)) return false;
    const names = [...hard.keys()].filter((one) => countedKind(one) === kind).sort();
    if (names.length > 0) checkNamed(request, { name, names, used });
    return names.length > 0;
  });
  const usage = counting.length === 0 ? new Map<string, never>() : usageOf(kind, object, nowMs);
  const charged = new Map<string, Amounts>();
  for (const quota of counting) {
    const wasCounted = oldObject !== undefined && isInScope(kind, quota.scopes, oldObject);
    const delta = wasCounted ? increaseOf(usage, usageOf(kind, oldObject, nowMs)) : usage;
    const requested = [...delta].filter(([name, { nanos }]) => nanos !== 0n && quota.hard.has(name));
    if (requested.length === 0) continue;
    const used = addAmounts(quota.used, new Map(requested));
    const exceeded = requested.map(([name]) => name).filter((name) => nanosAt(used, name) > nanosAt(quota.hard, name));
    if (exceeded.length > 0) throw exceededQuota(request, quota, { requested: new Map(requested), exceeded });
    charged.set(quota.name, used);
  }
  return charged;
}

/** What an amount of cpu or memory is counted by must be named; and the controller must have counted once. */
function checkNamed(
  request: AdmissionRequest & { readonly object: KubeObject },
  { name, names, used }: { readonly name: string; readonly names: readonly string[]; readonly used: Amounts },
): void {
  if (kindOfRequest(request) === "/pods") {
    const missing = unnamedAmounts(request.object, names);
    const parts = [...missing].sort(byName).map(([amount, of]) => `${amount} for: ${[...of].sort().join(",")}`);
    if (parts.length > 0) throw admissionForbidden(request, `failed quota: ${name}: must specify ${parts.join("; ")}`);
  }
  if (names.every((one) => used.has(one))) return;
  throw admissionForbidden(request, `status unknown for quota: ${name}, resources: ${names.join(",")}`);
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** What `amounts` has more than `before`; nothing where it has less. */
function increaseOf(amounts: Amounts, before: Amounts): Amounts {
  return new Map(
    [...amounts].map(([name, amount]) => {
      const nanos = amount.nanos - nanosAt(before, name);
      return [name, { nanos: nanos < 0n ? 0n : nanos, format: amount.format }];
    }),
  );
}

function nanosAt(amounts: Amounts, name: string): bigint {
  return amounts.get(name)?.nanos ?? 0n;
}

function exceededQuota(
  request: AdmissionRequest,
  { name, hard, used }: Quota,
  { requested, exceeded }: { readonly requested: Amounts; readonly exceeded: readonly string[] },
): ApiFailure {
  const names = [...exceeded].sort();
  const print = (amounts: Amounts): string =>
    names
      .flatMap((one) => {
        const amount = amounts.get(one);
        return amount === undefined ? [] : [`${one}=${formatQuantity(amount)}`];
      })
      .join(",");
  const text = `requested: ${print(requested)}, used: ${print(used)}, limited: ${print(hard)}`;
  return admissionForbidden(request, `exceeded quota: ${name}, ${text}`);
}
