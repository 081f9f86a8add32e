import { compareText } from "../../core/compare-text.ts";
import type { HubView, ViewChange } from "../../hub/hub-view.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../model/kubernetes.ts";
import { describeRef, refOf } from "../../model/kubernetes.ts";
import { hubObjectOf } from "../../planning/hub-objects.ts";
import type { PlacedHubObject } from "../../web/dashboard/dashboard-options.ts";

/** What is on the hub and in no file, kept up to date change by change: the cost of a read does not grow with the fleet. */
export class HubObjectTable {
  readonly #types: ReadonlySet<ResourceType>;
  readonly #rows = new Map<string, PlacedHubObject>();
  #sorted: readonly PlacedHubObject[] | undefined;

  constructor(view: Pick<HubView, "list">, types: readonly ResourceType[]) {
    this.#types = new Set(types);
    for (const type of types) for (const object of view.list(type)) this.#set(refOf(type, object), object);
  }

  /** Takes in a change of the view. Returns whether anything to show changed. */
  record({ ref, object }: Pick<ViewChange, "ref" | "object">): boolean {
    return this.#types.has(ref.type) && this.#set(ref, object);
  }

  /** By name. */
  all(): readonly PlacedHubObject[] {
    return (this.#sorted ??= [...this.#rows.values()].sort((a, b) => compareText(a.row.object, b.row.object)));
  }

  #set(ref: ObjectRef, object: KubeObject | undefined): boolean {
    const key = describeRef(ref);
    const before = this.#rows.get(key)?.row.message;
    const row = object && hubObjectOf(object);
    if (row?.message === before) return false;
    if (row === undefined) this.#rows.delete(key);
    else this.#rows.set(key, { workspace: ref.namespace, row });
    this.#sorted = undefined;
    return true;
  }
}
