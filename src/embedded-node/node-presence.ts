import type { Clock } from "../core/clock.ts";
import { isAppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { KubeApi } from "../kube/kube.ts";
import { nodeConditions, nodeObject, nodeStatus } from "./node-object.ts";
import type { NodeOptions } from "./node-object.ts";
import { microTimestampOf, nodeManager, nodeResources } from "./node-types.ts";

export interface NodePresence {
  stop(): Promise<void>;
}

/** As kubelets have them: the Lease shows that the node is alive, the status only changes. */
const leaseRenewMs = 10_000;
const leaseDurationSeconds = 40;
const statusEveryMs = 300_000;
const leaseNamespace = "kube-node-lease";

/** Registers the Node, then renews its Lease until it is stopped. Fails when the first registration fails. */
export async function startNodePresence(
  api: KubeApi,
  options: NodeOptions,
  environment: { readonly clock: Clock; readonly log: Log },
): Promise<NodePresence> {
  const { clock, log } = environment;
  const stop = new AbortController();
  const { signal } = stop;
  const write = { fieldManager: nodeManager, signal };
  const statusWrite = { ...write, subresource: "status", isStrategic: true } as const;
  const nodeRef = { type: nodeResources.node, name: options.nodeName };
  const leaseRef = { type: nodeResources.lease, namespace: leaseNamespace, name: options.nodeName };
  const readySinceMs = clock.nowMs();

  const register = async (): Promise<string> => {
    const existing = await api.get(nodeRef, { signal });
    const node = existing ?? (await api.create(nodeObject(options), write));
    const status = await nodeStatus(options, clock.nowMs(), readySinceMs);
    await api.mergePatch(nodeRef, { status }, statusWrite);
    return node.metadata.uid ?? "";
  };

  const renew = async (uid: string): Promise<void> => {
    const renewTime = microTimestampOf(clock.nowMs());
    try {
      await api.mergePatch(leaseRef, { spec: { renewTime } }, write);
    } catch (error) {
      if (!isAppError(error, "E_KUBE_NOT_FOUND")) throw error;
      const owner = { apiVersion: "v1", kind: "Node", name: options.nodeName, uid };
      await api.create(
        {
          apiVersion: "coordination.k8s.io/v1",
          kind: "Lease",
          metadata: { name: options.nodeName, namespace: leaseNamespace, ownerReferences: [owner] },
          spec: { holderIdentity: options.nodeName, leaseDurationSeconds, renewTime },
        },
        write,
      );
    }
  };

  const heartbeat = async (firstUid: string): Promise<void> => {
    let uid = firstUid;
    let statusDueMs = clock.monotonicMs() + statusEveryMs;
    for (;;) {
      const isOver = await clock.sleep(leaseRenewMs, signal).then(
        () => false,
        () => true, // stopped
      );
      if (isOver) return;
      try {
        await renew(uid);
        if (clock.monotonicMs() < statusDueMs) continue;
        statusDueMs = clock.monotonicMs() + statusEveryMs;
        const conditions = nodeConditions(clock.nowMs(), readySinceMs);
        await api.mergePatch(nodeRef, { status: { conditions } }, statusWrite);
      } catch (error) {
        if (signal.aborted) return;
        log.warn("the node could not renew its lease", { error });
        // If a user deleted the Node, it registers again.
        uid = await register().catch(() => uid); // no better than the renewal: the next heartbeat tries again
      }
    }
  };

  const uid = await register();
  await renew(uid);
  const running = heartbeat(uid);
  return {
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}
