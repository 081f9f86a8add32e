import type { Quantity } from "../../core/formats/quantity.ts";
import { formatQuantity } from "../../core/formats/quantity.ts";
import { comparedAmounts } from "../validation/compared-amounts.ts";
import type { Asked } from "../amounts/pod-amounts.ts";

/** What a LimitRange holds one resource to. */
export interface Constraint {
  readonly kind: "min" | "max" | "maxLimitRequestRatio";
  readonly resource: string;
  readonly amount: Quantity;
}

/**
 * What is wrong with what a container or a Pod (`type`) asks for, or undefined. Source: Kubernetes,
 * plugin/pkg/admission/limitranger.
 */
export function breachOf({ kind, resource, amount }: Constraint, type: string, asked: Asked): string | undefined {
  const request = asked.requests.get(resource);
  const limit = asked.limits.get(resource);
  const { values, isMilli } = comparedAmounts(request?.nanos ?? 0n, limit?.nanos ?? 0n, amount.nanos);
  const [requested = 0n, limited = 0n, enforced = 0n] = values;
  const bound = `${resource} usage per ${type} is ${formatQuantity(amount)}`;
  if (kind === "min") {
    if (request === undefined) return `minimum ${bound}.  No request is specified`;
    if (requested < enforced) return `minimum ${bound}, but request is ${formatQuantity(request)}`;
    return limit !== undefined && limited < enforced
      ? `minimum ${bound}, but limit is ${formatQuantity(limit)}`
      : undefined;
  }
  if (kind === "max") {
    if (limit === undefined) return `maximum ${bound}.  No limit is specified`;
    if (limited > enforced) return `maximum ${bound}, but limit is ${formatQuantity(limit)}`;
    return request !== undefined && requested > enforced
      ? `maximum ${bound}, but request is ${formatQuantity(request)}`
      : undefined;
  }
  const ratio = `${resource} max limit to request ratio per ${type} is ${formatQuantity(amount)}, but`;
  if (requested === 0n) return `${ratio} no request is specified or request is 0`;
  if (limited === 0n) return `${ratio} no limit is specified or limit is 0`;
  const observed = Number(limited) / Number(requested);
  return observed > Number(enforced) / (isMilli ? 1000 : 1)
    ? `${ratio} provided ratio is ${observed.toFixed(6)}`
    : undefined;
}
