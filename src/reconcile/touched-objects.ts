import type { HubView, ViewChange } from "../hub/hub-view.ts";
import type { ObjectRef } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import { memberStateSubject } from "../model/member-state.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { labelKeys } from "../model/well-known.ts";

/** When more objects were touched, a whole plan is as cheap. */
const mostObjects = 1000;

/** The objects of the hub that plans depend on and that changed since they were taken last. */
export class TouchedObjects {
  readonly #view: Pick<HubView, "workspaces" | "isComplete">;
  readonly #unsubscribe: () => void;
  #touched = new Map<string, ObjectRef>();
  /** Of the last time. */
  #workspaces: string | undefined;

  constructor(view: Pick<HubView, "workspaces" | "isComplete" | "subscribe">) {
    this.#view = view;
    this.#unsubscribe = view.subscribe((change) => this.#record(change));
  }

  /**
   * Every object that changed since the last call. Undefined when they cannot be named: too many, other workspaces, or a
   * view that does not hold everything yet.
   */
  take(): readonly ObjectRef[] | undefined {
    const touched = this.#touched;
    const before = this.#workspaces;
    this.#touched = new Map();
    this.#workspaces = this.#view.isComplete ? this.#view.workspaces.join(" ") : undefined;
    const isSamePlace = before !== undefined && before === this.#workspaces;
    return isSamePlace && touched.size <= mostObjects ? [...touched.values()] : undefined;
  }

  stop(): void {
    this.#unsubscribe();
  }

  #record(change: ViewChange): void {
    // One too many stays: it shows that there are others.
    if (this.#touched.size <= mostObjects && isOfPlans(change)) this.#touched.set(describeRef(change.ref), change.ref);
  }
}

/** What a plan reads of the hub: objects of files, and the states of members, which remember labels. */
function isOfPlans({ ref, object, before }: ViewChange): boolean {
  switch (ref.type) {
    case resourceTypes.cluster:
    case resourceTypes.clusterRegistrationToken:
    case resourceTypes.clusterGroup:
      return true;
    case resourceTypes.configMap:
      return memberStateSubject(ref.name) !== undefined;
    case resourceTypes.secret:
      // Those of members and tokens have no label of a Repository.
      return [object, before].some((version) => version?.metadata.labels?.[labelKeys.repository] !== undefined);
    default:
      return false;
  }
}
