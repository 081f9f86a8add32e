import { nameSome } from "../core/count-of.ts";
import type { ObjectRef } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { ConditionResult } from "../planning/conditions.ts";
import { toTime } from "../planning/conditions.ts";
import type { Retirement } from "./retire-secret.ts";

const mostNamed = 5;

export interface PublishedState {
  /** Secrets that are there for other tools. */
  readonly published: readonly string[];
  /** Objects of other programs that have the name of one that is to be published. */
  readonly taken: readonly string[];
  readonly retiring: readonly Retirement[];
  /** True when a kubeconfig is not passed on since it belongs to Cluster API. */
  readonly isClusterApis: boolean;
  /** Why no Secret can be made of the kubeconfig: a sentence without its full stop. */
  readonly refusal?: string | undefined;
  /** True when a removal begins by taking labels from a Secret of Argo CD. */
  readonly unselects: boolean;
}

/** The Cluster's condition on its published Secrets; undefined when there are none. */
export function publishedResult(state: PublishedState): ConditionResult | undefined {
  const { published, taken, retiring, isClusterApis, refusal, unselects } = state;
  const type = "Published";
  const waiting = retiring.map(describeRetirement).join(" ");
  if (retiring.some(({ users = [] }) => users.length > 0))
    return { type, status: "False", reason: "PublishedInUse", message: waiting };
  if (retiring.length > 0) return { type, status: "False", reason: "PublishedUntilTimeout", message: waiting };
  if (taken.length > 0) {
    const message = `Another program made ${taken.join(", ")}; it stays as it is, and the cluster is not published there.`;
    return { type, status: "False", reason: "PublishedNameTaken", message };
  }
  if (isClusterApis) {
    const kept = published.length === 0 ? "" : ` ${published.join(", ")} stays as it is and is not renewed.`;
    const message = `The kubeconfig belongs to Cluster API, whose contract forbids to share it: it is not published.${kept}`;
    return { type, status: "False", reason: "KubeconfigOfClusterApi", message };
  }
  if (refusal !== undefined) {
    const until = "keeps the former credential until that is corrected, or the kubeconfig's Secret is deleted";
    const kept = published.length === 0 ? "" : ` ${published.join(", ")} ${until}.`;
    const message = `Not published: ${refusal}.${kept}`;
    return { type, status: "False", reason: "KubeconfigRefused", message };
  }
  if (published.length === 0) return undefined;
  const order = unselects ? " A removal first takes the file's labels from a Secret of Argo CD." : "";
  return { type, status: "True", reason: "Published", message: `${published.join(", ")}.${order}` };
}

function describeRetirement({ ref, users, deadlineMs }: Retirement): string {
  const limit = `at ${toTime(deadlineMs)} at the latest`;
  if (users === undefined) return `${describeRef(ref)} is removed ${limit}: the daemon may not see what uses it.`;
  return `${describeRef(ref)} is removed when nothing uses it any more, ${limit}. It is used by ${nameSome(users, mostNamed)}.`;
}

/** The Secrets among published objects, by name. */
export function describeSecrets(objects: readonly { readonly ref: ObjectRef }[]): string[] {
  return objects
    .filter(({ ref }) => ref.type === resourceTypes.secret)
    .map(({ ref }) => describeRef(ref))
    .sort();
}
