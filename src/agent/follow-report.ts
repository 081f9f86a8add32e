import { numberAt, objectAt, textAt } from "../core/read-json.ts";
import { WorkQueue } from "../core/work-queue.ts";
import { describeError } from "../core/errors.ts";
import {
  isOutdated,
  readSigned,
  readSuccessor,
  withHubInfo,
  withSuccessor,
} from "../join/rollcall/downstream/membership.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { AgentContext } from "./agent-context.ts";
import type { FollowedObject } from "./agent-dependencies.ts";
import type { AgentState } from "./agent-state.ts";
import { isOther } from "./agent-state.ts";
import { leaveFleet } from "./leave-fleet.ts";
import { rollOut } from "./roll-out.ts";
import { reportRefOf } from "./membership-of.ts";

const shownSkewSeconds = 60;

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Called when the agent has uninstalled itself on the hub's order. */
  readonly onLeft: () => void;
  /** The agent continues as another cluster: all work for the previous one ends. */
  readonly onMoved: () => void;
}

/**
 * Follows the agent's report for the hub's answers: addresses, the manifest to run, an order to leave. It ignores
 * answers of an outdated copy of the hub.
 */
export async function followReport(context: AgentContext, options: FollowOptions): Promise<void> {
  const { signal } = options;
  const { clock, random, log } = context;
  let newest: KubeObject | undefined;
  const queue = new WorkQueue({
    clock,
    random,
    // The key is the hub that shows the report.
    work: async (hubId, workSignal) =>
      newest && act(context, newest, { ...options, hubId, signal: AbortSignal.any([signal, workSignal]) }),
    onError: (_key, error, waitMs) => {
      log.warn("acting on the report failed", { error: describeError(error), waitMs });
    },
  });
  try {
    while (!signal.aborted) {
      const api = context.link.api();
      const hubId = context.secrets.identity?.hubId ?? "";
      const following = context.followObject(api, reportRefOf(context), {
        onObject: (object) => {
          newest = object;
          recordReport(context.state, object);
          queue.add(hubId);
        },
        onError: (error) => {
          if (signal.aborted) return;
          log.debug("following the report failed", { error: describeError(error) });
          context.link.recordRefusal(error);
          // An open watch detects a lost hub first: the next heartbeat may be an hour away.
          context.link.handleFailureOf(api, error, signal);
        },
      });
      await changed(context, following, signal);
      await following.stop();
    }
  } finally {
    await queue.stop();
  }
}

/** If a user deleted the report, or it was on a lost hub, it is created again, empty. */
export function recordReport(state: AgentState, report: KubeObject | undefined): void {
  state.reportUid = report?.metadata.uid ?? state.reportUid;
  state.shown = objectAt(report, "spec");
  if (isOther(state.sentUid, state.reportUid)) state.reportNow();
}

/** Resolves when the link uses another address or credential, when a hub that was away is back, or when aborted. */
async function changed({ link }: AgentContext, following: FollowedObject, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      stopListening();
      stopWaiting();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const stopListening = link.onChange(end);
    const stopWaiting = link.onRecovery(() => following.isAway && end());
    signal.addEventListener("abort", end, { once: true });
  });
}

/** Returns milliseconds after which to requeue while a change is in progress. */
async function act(
  context: AgentContext,
  report: KubeObject,
  { signal, hubId, onLeft, onMoved }: FollowOptions & { readonly hubId: string },
): Promise<number | undefined> {
  const { secrets, log } = context;
  const { identity } = secrets;
  if (identity === undefined) return undefined;
  if (isOutdated(identity, report)) {
    log.warn("the hub is an older copy: what it sends is ignored", { epoch: identity.epoch });
    return undefined;
  }
  const status = objectAt(report, "status");
  const signed = readSigned(objectAt(status, "hubInfo"));
  if (signed) {
    const after = await secrets.changeIdentity(
      (held) => withHubInfo(held ?? identity, signed, { isFromHub: true }),
      signal,
    );
    if (after.trustKey?.digest !== identity.trustKey?.digest)
      log.info("the hub's trust key was replaced", {
        trustKey: after.trustKey?.digest,
        number: after.trustKey?.number,
      });
    if (after.epoch > identity.epoch) {
      log.info("the hub was restored", { epoch: after.epoch });
      context.state.reportNow(); // the epoch is part of the report
    }
  }
  const skewSeconds = numberAt(status, "clockSkewSeconds");
  if (skewSeconds !== undefined && Math.abs(skewSeconds) > shownSkewSeconds)
    log.warn("this clock differs from the hub's", { aheadSeconds: skewSeconds });

  // It may have joined another hub since, or continue as another cluster.
  const own = reportRefOf(context);
  const { name, namespace } = report.metadata;
  if (name !== own.name || namespace !== own.namespace || secrets.identity?.hubId !== hubId) return undefined;
  const commit = textAt(status, "leave", "commit");
  const epoch = numberAt(status, "leave", "epoch");
  if (commit !== undefined && textAt(status, "leave", "policy") === "Uninstall" && (epoch ?? -1) >= identity.epoch) {
    await leaveFleet(context, commit, signal);
    onLeft();
    return undefined;
  }
  const successor = readSuccessor(identity, report);
  if (successor !== undefined) {
    await secrets.changeIdentity((held) => withSuccessor(held ?? identity, successor, context.clock.nowMs()), signal);
    log.warn("going on as another cluster", { cluster: successor.clusterName, workspace: successor.workspace });
    onMoved();
    return undefined;
  }
  const digest = textAt(status, "manifest", "digest");
  const configMap = textAt(status, "manifest", "configMap");
  if (digest === undefined || configMap === undefined) return undefined;
  return rollOut(context, { digest, configMap }, signal);
}
