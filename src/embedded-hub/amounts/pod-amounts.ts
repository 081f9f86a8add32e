import type { Quantity } from "../../core/formats/quantity.ts";
import { isQuantityError, parseQuantity } from "../../core/formats/quantity.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectAt, objectsAt, textMapAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

/** Amounts by the names of resources. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** What a container or a Pod asks for. */
export interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** Pages of the size that is in the name. */
export function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

/** What a Pod may ask for on behalf of all its containers. */
export function isPodLevel(name: string): boolean {
  return isCpuOrMemory(name) || isHugePages(name);
}

export function isCpuOrMemory(name: string): boolean {
  return name === "cpu" || name === "memory";
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

/** What a container names, or a Pod for all of them. */
export function askedBy(holder: JsonObject): Asked {
  const of = (half: Half): Amounts => amountsOf(textMapAt(holder, "resources", half));
  return { requests: of("requests"), limits: of("limits") };
}

/**
 * What a Pod asks for in all: what its containers do; of what `isOfPod` names what it has itself, if it does. A LimitRange
 * counts cpu and memory so, and a quota pages, too. Source: Kubernetes, plugin/pkg/admission/limitranger,
 * component-helpers/resource.
 */
export function askedByPod(pod: KubeObject, isOfPod: (name: string) => boolean = isCpuOrMemory): Asked {
  const spec = objectAt(pod, "spec") ?? {};
  const asked = askedByContainers(spec);
  const ofPod = askedBy(spec);
  const of = (half: Half): Amounts => {
    const own = [...ofPod[half]].filter(([name]) => isOfPod(name));
    return new Map([...asked[half], ...own]);
  };
  return { requests: of("requests"), limits: of("limits") };
}

/** The sum of the containers of a Pod, or the most that it needs to start. Source: Kubernetes, component-helpers/resource. */
export function askedByContainers(spec: JsonObject): Asked {
  const containers = objectsAt(spec, "containers").map(askedBy);
  const starting = objectsAt(spec, "initContainers").map((container) => ({
    asked: askedBy(container),
    staysOn: container["restartPolicy"] === "Always",
  }));
  const of = (half: Half): Amounts => {
    const all = new Map<string, Quantity>();
    for (const asked of containers) addTo(all, asked[half]);
    const staying = new Map<string, Quantity>();
    const most = new Map<string, Quantity>();
    for (const { asked, staysOn } of starting) {
      const own = asked[half];
      if (staysOn) {
        addTo(all, own);
        addTo(staying, own);
      }
      // Of what this one does not name, the most is known.
      const others = ofSameNames(staying, own);
      raiseTo(most, staysOn ? others : addAmounts(own, others));
    }
    raiseTo(all, most);
    return all;
  };
  return { requests: of("requests"), limits: of("limits") };
}

/** The amounts of what another names. */
function ofSameNames(amounts: Amounts, other: Amounts): Amounts {
  const entries = [...other.keys()].flatMap((name): [string, Quantity][] => {
    const amount = amounts.get(name);
    return amount === undefined ? [] : [[name, amount]];
  });
  return new Map(entries);
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
