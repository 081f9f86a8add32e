import { randomUUID } from "node:crypto";
import type { Log } from "../core/log.ts";
import type { HubControllers } from "../hub/controllers/controllers.ts";
import { startHubControllers } from "../hub/controllers/controllers.ts";
import type { HubPorts } from "../hub/hub-ports.ts";
import { keepWatchRecord } from "../hub/watch-record.ts";
import { shortestPeriodMs, witnessesOf } from "../hub/witnesses.ts";
import type { Term } from "../kube/leading-api.ts";
import { leadingApi } from "../kube/leading-api.ts";
import type { Proposal } from "../model/proposal.ts";
import { realClock, realRandom } from "../system/real-clock.ts";
import { whenAborted } from "../system/when-aborted.ts";
import type { PublishTargets } from "../publish/publish.ts";
import type { RemovalRules } from "../publish/retire-secret.ts";
import { keepPublicObjects } from "./keep-public-objects.ts";
import type { Publisher } from "./wire-publish.ts";
import { startPublisher } from "./wire-publish.ts";

/** What runs while this process leads the hub. */
export interface HubWork {
  controllers?: HubControllers;
  publisher?: Publisher;
}

export interface HubParts {
  readonly options: {
    readonly namespace: string;
    /** Undefined: no election. */
    readonly identity?: string;
    readonly publish?: { readonly targets: PublishTargets; readonly removal: RemovalRules };
    readonly log: Log;
  };
  readonly ports: HubPorts;
  /** Filled when the work begins, emptied when it has ended. */
  readonly running: HubWork;
  /** Starts a run of each Repository, whichever process leads it: a cluster without a file is to be offered. */
  readonly enqueueRepositories: () => void;
}

/** Runs the controllers of the hub and the publisher for one term, and keeps the record of watched time. */
export async function leadHub(term: Term, { options, ports, running, enqueueRepositories }: HubParts): Promise<void> {
  const { namespace, identity, publish, log } = options;
  const { hubApi, view, health, events } = ports;
  const leading = { ...ports, hubApi: leadingApi(hubApi, term) };
  const record = await keepWatchRecord({
    hubApi,
    namespace,
    identity: identity ?? randomUUID(),
    health,
    shortestPeriodMs: () => shortestPeriodMs(ports),
    witnesses: () => witnessesOf(ports),
    clock: realClock,
    log,
  });
  if (publish)
    running.publisher = startPublisher({
      ...publish,
      hubApi: leading.hubApi,
      view,
      events,
      onReleased: (workspace, name) => running.controllers?.enqueueMember(workspace, name),
      log,
    });
  running.controllers = startHubControllers(leading, {
    random: realRandom,
    onProposal: enqueueOnce(enqueueRepositories),
  });
  const publicObjects = keepPublicObjects(leading, realRandom);
  await whenAborted(term.signal);
  await running.publisher?.stop();
  delete running.publisher;
  await publicObjects.stop();
  await running.controllers.stop();
  delete running.controllers;
  await record.stop();
}

/** Which files are offered is seen anew in each run; this only makes the first one come at once. */
function enqueueOnce(enqueue: () => void): (proposal: Proposal) => void {
  const proposed = new Set<string>();
  return (proposal) => {
    const key = `${proposal.workspace}/${proposal.registration ?? proposal.cluster.metadata.name}`;
    if (proposed.has(key)) return;
    if (proposed.size > 10_000) proposed.clear();
    proposed.add(key);
    enqueue();
  };
}
