// controllers: what a cluster does by itself. Each watches the store through one shared feed and works off a queue of
// keys; between events nothing runs. Sources are named per controller: they imitate kube-controller-manager's.
import type { Clock, Random } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { TokenKey } from "../auth/jwt.ts";
import type { Operations } from "../operations/operations.ts";
import type { QuotaLedger } from "../quotas/quota-ledger.ts";
import type { Turns } from "../operations/turns.ts";
import type { Store } from "../store/store.ts";
import { startApiServiceController } from "./api-service-controller.ts";
import { startBootstrapTokenCleaner } from "./bootstrap-token-cleaner.ts";
import type { KeyPair } from "../certificates/authority.ts";
import { startCertificateCleaner } from "./certificate-cleaner.ts";
import { startCertificateSigner } from "./certificate-signer.ts";
import { startClusterRoleAggregation } from "./cluster-role-aggregation.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { startDeploymentController } from "./deployment-controller.ts";
import { startDisruptionController } from "./disruption-controller.ts";
import { startEndpointMirrorController } from "./endpoint-mirror-controller.ts";
import { startEndpointSliceController } from "./endpoint-slice-controller.ts";
import { startEndpointsController } from "./endpoints-controller.ts";
import { startEventExpiry } from "./event-expiry.ts";
import { startGarbageCollector } from "./garbage-collector.ts";
import { startNamespaceController } from "./namespace-controller.ts";
import { createObjectFeed } from "./object-feed.ts";
import { createOwnerIndex } from "./owner-index.ts";
import { startPodCollector } from "./pod-collector.ts";
import { startPolicyStatusController } from "./policy-status-controller.ts";
import { startQuotaController } from "./quota-controller.ts";
import { startReplicaController } from "./replica-controller.ts";
import { replicaSets, replicationControllers } from "./replicated-kinds.ts";
import { startServiceAccountController } from "./service-account-controller.ts";
import { startTokenSecretController } from "./token-secret-controller.ts";

export interface ControllersOptions {
  readonly operations: Operations;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly turns: Turns;
  /** What writes are charged to. */
  readonly quotas: QuotaLedger;
  /** That a namespace may have; older ones are deleted. Default 10,000. */
  readonly mostEvents?: number | undefined;
  /** PEM: what Pods trust the hub by. */
  readonly caBundle: string;
  /** Signs the tokens of Secrets. */
  readonly tokenKey: TokenKey;
  /** Signs certificates of clients. Without it, requests for them stay as they are. */
  readonly authority?: KeyPair | undefined;
}

export interface Controllers extends Controller {
  /** Resolves when no controller has anything to do now; what is due later does not count. */
  whenIdle(): Promise<void>;
}

/** Starts all controllers. `stop` waits for the work under way. */
export function startControllers(options: ControllersOptions): Controllers {
  const { operations, store, clock, random, log, turns, caBundle, tokenKey, authority } = options;
  const feed = createObjectFeed(store);
  const owners = createOwnerIndex();
  const scope: ControllerScope = { operations, feed, owners, clock, random, log, turns, queues: [] };
  const controllers = [
    // First: it keeps the index of owners that the others read.
    startGarbageCollector(scope),
    startNamespaceController(scope),
    startServiceAccountController(scope, caBundle),
    startTokenSecretController(scope, { caBundle, key: tokenKey }),
    startBootstrapTokenCleaner(scope),
    ...(authority === undefined ? [] : [startCertificateSigner(scope, authority)]),
    startCertificateCleaner(scope),
    startClusterRoleAggregation(scope),
    startPolicyStatusController(scope),
    startQuotaController(scope, options.quotas),
    startReplicaController(scope, replicaSets),
    startReplicaController(scope, replicationControllers),
    startDeploymentController(scope),
    startDisruptionController(scope),
    startPodCollector(scope),
    startEndpointsController(scope),
    startEndpointSliceController(scope),
    startEndpointMirrorController(scope),
    startEventExpiry(scope, options.mostEvents),
    startApiServiceController(scope),
  ];
  // Controllers read the owners of objects from an index that the feed fills: work on a half-filled one makes a second
  // ReplicaSet for a Deployment whose first one was not seen yet.
  const releases = scope.queues.map((queue) => queue.hold());
  const stopFeed = feed.start();
  for (const release of releases) release();
  return {
    whenIdle: async () => {
      const isBusy = () => scope.queues.some(({ counts }) => counts.waiting + counts.active > 0);
      // What one queue writes or finds may be work for another: idle is when nothing was written while waiting for all.
      for (let before = -1; before !== operations.revision() || isBusy();) {
        before = operations.revision();
        await Promise.all(scope.queues.map((queue) => queue.whenIdle()));
      }
    },
    stop: async () => {
      stopFeed();
      await Promise.all(controllers.map((controller) => controller.stop()));
    },
  };
}
