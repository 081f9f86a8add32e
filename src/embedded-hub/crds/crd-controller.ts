import type { Clock, Random } from "../../core/clock.ts";
import { canonicalJson, isJsonEqual } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { objectAt, textAt } from "../../core/read-json.ts";
import { WorkQueue } from "../../core/work-queue.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { isApiFailure } from "../failures/api-failure.ts";
import { formatTime } from "../metadata/system-fields.ts";
import { serverContext } from "../operations/internal-context.ts";
import type { Operations } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import type { ResourceRegistry } from "../resources/registry.ts";
import { approvalOf } from "../resources/crd-approval.ts";
import { conditionOf, withCondition } from "../resources/crd-conditions.ts";
import { definitionsOfCrd, isEstablished, isTerminating } from "./crd-definitions.ts";
import { cleanupFinalizer } from "../resources/crd-hooks.ts";
import { grantNames, hasItsNames } from "./crd-names.ts";

export interface CrdControllerOptions {
  readonly operations: Operations;
  readonly registry: ResourceRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/**
 * Serves what CustomResourceDefinitions declare, from the moment they are written; grants their names, and deletes the
 * objects of those that are deleted. Resolves with the function that stops it, after the CRDs that exist are served.
 */
export function startCrdController(options: CrdControllerOptions): { readonly stop: () => Promise<void> } {
  const controller = new CrdController(options);
  return { stop: () => controller.stop() };
}

const group = "apiextensions.k8s.io";
/** How soon a CRD is requeued whose objects are held by finalizers. */
const requeueAfterMs = 250;

class CrdController {
  private readonly operations: Operations;
  private readonly registry: ResourceRegistry;
  private readonly clock: Clock;
  private readonly crds: ResourceDefinition;
  /** What each CRD serves now, so that a change of status alone changes nothing. */
  private readonly registered = new Map<string, { readonly served: string; readonly isTerminating: boolean }>();
  private readonly queue: WorkQueue;
  private readonly endWatch: () => void;

  constructor({ operations, registry, clock, random, log }: CrdControllerOptions) {
    const crds = operations.definitionOf(group, "customresourcedefinitions");
    if (crds === undefined) throw new TypeError("CustomResourceDefinitions are not served");
    this.operations = operations;
    this.registry = registry;
    this.clock = clock;
    this.crds = crds;
    this.queue = new WorkQueue({
      clock,
      random,
      concurrency: 1,
      work: (name) => this.reconcile(name),
      onError: (name, error, retryInMs) => {
        if (isApiFailure(error, "Conflict", "NotFound")) return;
        log.warn("a CustomResourceDefinition will be tried again", { name, retryInMs, error });
      },
    });
    const { items, revision } = operations.list({ definition: crds });
    for (const crd of items) this.take(crd);
    this.endWatch = operations.observe(crds, revision, ({ kind, object }) => {
      if (kind === "deleted") this.drop(object);
      else this.take(object);
    });
  }

  async stop(): Promise<void> {
    this.endWatch();
    await this.queue.stop();
  }

  /** Serves at once what can be served, and queues what is to be written. */
  private take(crd: KubeObject): void {
    const { name, deletionTimestamp } = crd.metadata;
    if (isEstablished(crd)) this.register(crd);
    if (deletionTimestamp !== undefined || !hasItsNames(crd) || !hasApproval(crd)) this.queue.add(name);
  }

  private drop(crd: KubeObject): void {
    this.registered.delete(crd.metadata.name);
    this.registry.replaceCustom(crd.metadata.name, []);
    // Its names are free: another CRD of the group may have waited for them.
    const freedGroup = textAt(crd, "spec", "group");
    for (const other of this.operations.list({ definition: this.crds }).items) {
      if (textAt(other, "spec", "group") === freedGroup && !hasItsNames(other)) this.queue.add(other.metadata.name);
    }
  }

  private register(crd: KubeObject): void {
    const { name } = crd.metadata;
    const known = this.registered.get(name);
    const now = {
      served: canonicalJson([crd["spec"], objectAt(crd, "status", "acceptedNames")]),
      isTerminating: isTerminating(crd),
    };
    if (known?.served === now.served && known.isTerminating === now.isTerminating) return;
    this.registered.set(name, now);
    if (known?.served === now.served) this.registry.setCustom(name, definitionsOfCrd(crd));
    else this.registry.replaceCustom(name, definitionsOfCrd(crd));
  }

  private async reconcile(name: string): Promise<number | undefined> {
    const crd = this.operations.get({ definition: this.crds, name });
    if (crd === undefined) return undefined;
    if (crd.metadata.deletionTimestamp === undefined) await this.grant(crd);
    else if (crd.metadata.finalizers?.includes(cleanupFinalizer) === true) return this.cleanUp(crd);
    return undefined;
  }

  private async grant(crd: KubeObject): Promise<void> {
    if (hasItsNames(crd)) return this.approve(crd);
    const others = this.operations.list({ definition: this.crds }).items.filter((other) => other !== crd);
    const { acceptedNames, namesAccepted, established } = grantNames(
      crd,
      others.filter((other) => other.metadata.name !== crd.metadata.name),
    );
    const status: JsonObject = { ...objectAt(crd, "status"), acceptedNames };
    const now = formatTime(this.clock.nowMs());
    const granted = withCondition(withCondition({ ...crd, status }, namesAccepted, now), established, now);
    const named = withApproval(granted, now);
    // Served before the condition is written: a client that waits for the condition may send requests at once.
    if (isEstablished(named)) this.register(named);
    await this.writeStatus(named);
  }

  private async approve(crd: KubeObject): Promise<void> {
    if (!hasApproval(crd)) await this.writeStatus(withApproval(crd, formatTime(this.clock.nowMs())));
  }

  /** Undefined when nothing of the CRD is left; otherwise milliseconds after which to requeue. */
  private async cleanUp(crd: KubeObject): Promise<number | undefined> {
    const marked = await this.writeStatus(
      this.withTerminating(crd, "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"),
    );
    const [definition] = definitionsOfCrd(marked);
    let done = this.withTerminating(marked, "False", "NeverEstablished", "resource was never established");
    if (isEstablished(marked) && definition !== undefined) {
      if ((await this.deleteInstances(definition)) > 0) return requeueAfterMs;
      done = this.withTerminating(marked, "False", "InstanceDeletionCompleted", "removed all instances");
    }
    const finalizers = (done.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer);
    await this.writeStatus({ ...done, metadata: { ...done.metadata, finalizers } });
    return undefined;
  }

  /** How many objects remain: finalizers hold them. */
  private async deleteInstances(definition: ResourceDefinition): Promise<number> {
    const served = this.operations.definitionOf(definition.group, definition.plural, definition.version);
    // A built-in kind of the same name has nothing to do with it.
    if (served?.isCustom !== true) return 0;
    const all = { query: {}, options: {}, inAllNamespaces: true };
    await this.operations.deleteCollection(serverContext(), { definition: served }, all);
    return this.operations.list({ definition: served }).items.length;
  }

  private withTerminating(crd: KubeObject, status: "True" | "False", reason: string, message: string): KubeObject {
    return withCondition(crd, { type: "Terminating", status, reason, message }, formatTime(this.clock.nowMs()));
  }

  private writeStatus(crd: KubeObject): Promise<KubeObject> {
    const target = { definition: this.crds, name: crd.metadata.name, subresource: "status" };
    return this.operations.update(serverContext(), target, crd);
  }
}

/** True when the CRD has an API approval, or needs none. */
function hasApproval(crd: KubeObject): boolean {
  const approval = approvalOf(crd);
  return approval === undefined || isJsonEqual(approval, conditionOf(crd, approval.type));
}

function withApproval(crd: KubeObject, now: string): KubeObject {
  const approval = approvalOf(crd);
  return approval === undefined ? crd : withCondition(crd, approval, now);
}
