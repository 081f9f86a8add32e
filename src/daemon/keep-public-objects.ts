import { listingRetryMs } from "../hub/controller-queue.ts";
import { isJsonEqual } from "../core/json.ts";
import type { Random } from "../core/clock.ts";
import { WorkQueue } from "../core/work-queue.ts";
import type { HubPorts } from "../hub/hub-ports.ts";
import { hubInfoObject } from "../join/rollcall/hub/public-objects.ts";
import { readmitObject } from "../join/rollcall/hub/readmit.ts";
import { publicNamespace } from "../model/dialects/rollcall.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { HubFacts, Member } from "../model/member.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers, labelKeys } from "../model/well-known.ts";

/** No member's key: those have a slash. */
const everybody = "hub-info";

export interface PublicObjects {
  whenIdle(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Maintains the objects that agents may read without a credential: the hub's signed info, and for each member that was
 * restored without a credential its readmission, until it has one. Only one leader may do so at a time. A hub without
 * the namespace is logged once: its agents cannot follow a new CA, and all other work continues.
 */
export function keepPublicObjects(
  context: Pick<HubPorts, "hubApi" | "view" | "hubFacts" | "entropy" | "clock" | "log">,
  random: Random,
): PublicObjects {
  const { hubApi, view, hubFacts, entropy, clock, log } = context;
  const type = resourceTypes.configMap;
  /** By the key of their member, or `everybody`; undefined until they were listed. */
  let held: Map<string, KubeObject> | undefined;

  const write = async (key: string, object: KubeObject, signal: AbortSignal): Promise<void> => {
    held?.set(key, await hubApi.apply(object, { fieldManager: fieldManagers.hub, signal }));
  };
  const publishInfo = async (signal: AbortSignal): Promise<void> => {
    const { items } = await hubApi.list(type, { namespace: publicNamespace, signal });
    const info = hubInfoObject(hubFacts());
    held = new Map(
      items.map((object) => [object.metadata.name === info.metadata.name ? everybody : keyOf(object), object]),
    );
    if (!isJsonEqual(held.get(everybody)?.["data"], info["data"])) await write(everybody, info, signal);
    for (const { metadata } of view.list(resourceTypes.cluster)) queue.add(`${metadata.namespace}/${metadata.name}`);
  };
  const work = async (key: string, signal: AbortSignal): Promise<number | undefined> => {
    if (key === everybody) {
      await publishInfo(signal);
      return undefined;
    }
    const [workspace = "", name = ""] = key.split("/");
    // Until the namespace was read, which begins with the public info, there is nowhere to write to.
    // A member of a workspace that is no longer watched is not deleted.
    if (!held || !view.isWorkspace(workspace)) return undefined;
    if (view.isBeingListed(workspace)) return listingRetryMs;
    const before = held.get(key);
    const member = view.memberOf(workspace, name);
    const hub = hubFacts();
    const readmit = member && isRestored(member, hub) ? readmitObject(member, hub, entropy) : undefined;
    if (readmit && dataOf(before)["epoch"] !== String(hub.trust.epoch)) {
      const labels = { [labelKeys.cluster]: name, [labelKeys.ownerWorkspace]: workspace };
      await write(key, { ...readmit, metadata: { ...readmit.metadata, labels } }, signal);
      log.info("a restored cluster may come back", { cluster: key, epoch: hub.trust.epoch });
    }
    if (!readmit && before) {
      const { name: ownName, uid } = before.metadata;
      const preconditions = uid === undefined ? {} : { uid };
      await hubApi.delete({ type, namespace: publicNamespace, name: ownName }, { ...preconditions, signal });
      held.delete(key);
    }
    return undefined;
  };
  const queue = new WorkQueue({
    clock,
    random,
    concurrency: 4,
    work,
    onError: (key, error, retryInMs) => log.warn("publishing for agents failed", { key, error, retryInMs }),
  });
  const unsubscribe = view.subscribe(({ ref, object, before }) => {
    if (ref.type !== type && ref.type !== resourceTypes.secret) return;
    for (const owner of [object, before].flatMap((seen) => (seen ? view.ownersOf(ref, seen) : [])))
      if (owner.label === labelKeys.cluster && concerns(ref.type === type, object, before))
        queue.add(`${owner.workspace}/${owner.name}`);
  });
  queue.add(everybody);
  return {
    whenIdle: () => queue.whenIdle(),
    stop: async () => {
      unsubscribe();
      await queue.stop();
    },
  };
}

/** The key of the member whose readmission an object is. */
function keyOf({ metadata: { labels = {} } }: KubeObject): string {
  return `${labels[labelKeys.ownerWorkspace] ?? ""}/${labels[labelKeys.cluster] ?? ""}`;
}

/** A member that joins again has an answered registration: only a restored one has none. */
function isRestored({ children }: Member, { trust }: HubFacts): boolean {
  return trust.epoch > 1 && !children.some(({ kind }) => kind === resourceTypes.clusterRegistration.kind);
}

/** A member's state, or the Secret with its recovery token. */
function concerns(isConfigMap: boolean, object: KubeObject | undefined, before: KubeObject | undefined): boolean {
  const seen = object ?? before;
  return isConfigMap ? dataOf(seen)["memory"] !== undefined : seen?.["type"] === "kubernetes.io/service-account-token";
}

function dataOf(object: KubeObject | undefined): Readonly<Record<string, unknown>> {
  const data = object?.["data"];
  return typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
}
