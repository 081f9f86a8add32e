import { isJsonEqual } from "../core/json.ts";
import type { HubView } from "../hub/hub-view.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import type { PlannedChange } from "../model/plan.ts";
import { hubPolicyOf } from "../planning/hub-policy.ts";

/**
 * The declared objects as a run saw them when it searched for changes of people. What a person changes after that, and before
 * the plan is carried out, is not reverted by that plan: the next run sees the change first.
 */
export class SeenObjects {
  #seen = new Map<string, KubeObject>();

  record(types: readonly ResourceType[], view: Pick<HubView, "list">, { spec }: Pick<Repository, "spec">): void {
    this.#seen = new Map();
    for (const type of types) {
      for (const object of view.list(type)) {
        const place = { kind: object.kind, workspace: object.metadata.namespace ?? spec.defaultWorkspace ?? "" };
        if (hubPolicyOf(spec, place).policy !== "Ignore") this.#seen.set(describeRef(refOf(type, object)), object);
      }
    }
  }

  /** Whether the change would revert labels or fields that were changed since. */
  isEditedSince(change: PlannedChange, view: Pick<HubView, "get">): boolean {
    const seen = change.kind === "update" ? this.#seen.get(describeRef(change.ref)) : undefined;
    const live: KubeObject | undefined = seen && view.get(change.ref);
    return live !== undefined && !isJsonEqual(partsOf(seen), partsOf(live));
  }
}

function partsOf(object: KubeObject | undefined): readonly unknown[] {
  return [object?.metadata.labels ?? {}, object?.["spec"] ?? {}];
}
