import type { Quantity } from "../../core/formats/quantity.ts";
import { isQuantityError, parseQuantity } from "../../core/formats/quantity.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectsAt, textMapAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

/** Amounts by the names of resources. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** What a container or a Pod asks for. */
export interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

type Half = "requests" | "limits";

/** The amounts in a map of quantities. */
export function amountsOf(texts: Readonly<Record<string, string>>): Amounts {
  const entries = Object.entries(texts).flatMap(([name, text]): [string, Quantity][] => {
    const parsed = parseQuantity(text);
    // They were decoded: all are well formed.
    return isQuantityError(parsed) ? [] : [[name, parsed]];
  });
  return new Map(entries);
}

export function askedBy(container: JsonObject): Asked {
  const of = (name: Half): Amounts => amountsOf(textMapAt(container, "resources", name));
  return { requests: of("requests"), limits: of("limits") };
}

/**
 * What a Pod asks for in all: the sum of its containers, or the most that it needs to start; of cpu and memory what it has
 * itself, if it does. Source: Kubernetes, plugin/pkg/admission/limitranger.
 */
export function askedByPod(pod: KubeObject): Asked {
  const containers = objectsAt(pod, "spec", "containers").map(askedBy);
  const starting = objectsAt(pod, "spec", "initContainers").map((container) => ({
    asked: askedBy(container),
    staysOn: container["restartPolicy"] === "Always",
  }));
  const of = (name: Half): Amounts => {
    const all = new Map<string, Quantity>();
    for (const asked of containers) addTo(all, asked[name]);
    const staying = new Map<string, Quantity>();
    const most = new Map<string, Quantity>();
    for (const { asked, staysOn } of starting) {
      if (staysOn) {
        addTo(all, asked[name]);
        addTo(staying, asked[name]);
        raiseTo(most, staying);
      } else {
        const needed = new Map(asked[name]);
        addTo(needed, staying);
        raiseTo(most, needed);
      }
    }
    raiseTo(all, most);
    for (const [key, amount] of amountsOf(textMapAt(pod, "spec", "resources", name))) {
      if (key === "cpu" || key === "memory") all.set(key, amount);
    }
    return all;
  };
  return { requests: of("requests"), limits: of("limits") };
}

/** The sum by names. */
export function addAmounts(one: Amounts, other: Amounts): Amounts {
  const sum = new Map(one);
  addTo(sum, other);
  return sum;
}

/** Adds amounts to a sum by names. */
export function addTo(sum: Map<string, Quantity>, more: Amounts): void {
  for (const [name, amount] of more) {
    const known = sum.get(name);
    sum.set(name, known === undefined ? amount : addition(known, amount));
  }
}

function addition(one: Quantity, other: Quantity): Quantity {
  return { nanos: one.nanos + other.nanos, format: one.nanos === 0n ? other.format : one.format };
}

function raiseTo(most: Map<string, Quantity>, other: Amounts): void {
  for (const [name, amount] of other) {
    const known = most.get(name);
    if (known === undefined || amount.nanos > known.nanos) most.set(name, amount);
  }
}
