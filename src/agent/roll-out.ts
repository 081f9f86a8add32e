import { AppError } from "../core/errors.ts";
import { textAt } from "../core/read-json.ts";
import type { AgentIdentity, Rollout } from "../join/rollcall/downstream/agent-identity.ts";
import {
  isRolledOut,
  manifestDigestOf,
  readOwnDeployment,
  restorableDeployment,
} from "../join/rollcall/downstream/own-manifest.ts";
import { agentNames } from "../model/dialects/rollcall.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import type { AgentContext } from "./agent-context.ts";

/** Pause between two checks of a change of the own Deployment that is in progress. */
const requeueAfterMs = 5_000;
/** Pause between two checks of a namespace that does not admit what is offered. */
const notAdmittedMs = 300_000;

interface ManifestOffer {
  readonly digest: string;
  readonly configMap: string;
}

/**
 * Updates the agent's Deployment to the manifest that the hub offers, and rolls back when the new agent does not become
 * ready in time: then that manifest is refused until another one is offered. Nothing else downstream is changed.
 * Returns milliseconds after which to requeue while a change is in progress.
 */
export async function rollOut(
  context: AgentContext,
  offer: ManifestOffer,
  signal: AbortSignal,
): Promise<number | undefined> {
  const live = await context.downstreamApi.get(deploymentRef(context), { signal });
  // An agent that was not installed as a Deployment updates itself.
  if (live === undefined) return undefined;
  const { rollout } = context.secrets.identity ?? {};
  if (rollout !== undefined) {
    const isOver = await watchOver(context, { rollout, live }, signal);
    const isApplied = manifestDigestOf(live) === offer.digest;
    if (!isOver && rollout.digest === offer.digest && isApplied) return requeueAfterMs;
  }
  const { refused } = context.secrets.identity ?? {};
  if (refused?.digest === offer.digest) return undefined;
  if (manifestDigestOf(live) === offer.digest) {
    // The hub offers another manifest than the refused one: if it offers that one again later, it is tried once more.
    if (refused !== undefined)
      await context.secrets.changeIdentity((held) => ({ ...known(held), refused: undefined }), signal);
    return undefined;
  }
  return applyOffer(context, { offer, live }, signal);
}

async function applyOffer(
  context: AgentContext,
  { offer, live }: { readonly offer: ManifestOffer; readonly live: KubeObject },
  signal: AbortSignal,
): Promise<number | undefined> {
  const { secrets, settings, log, clock, link } = context;
  const namespace = secrets.identity?.workspace ?? "";
  const ref = { type: resourceTypes.configMap, namespace, name: offer.configMap };
  const map = await link.call((api) => api.get(ref, { signal }), { signal });
  const own = readOwnDeployment(textAt(map, "data", "manifest") ?? "", offer.digest, settings.namespace);
  if (own === undefined) {
    log.warn("the offered manifest is not usable here", { digest: offer.digest, namespace: settings.namespace });
    return undefined;
  }
  if (!own.hasWayBack && !(await admitsNodeNetwork(context, signal))) {
    log.warn("this namespace admits no Pod in the node's network", { namespace: settings.namespace });
    return notAdmittedMs;
  }
  const unfinished = secrets.identity?.rollout;
  const rollout: Rollout = {
    digest: offer.digest,
    version: own.version,
    // A second try does not get more time, so that a manifest that can never be applied is given up.
    startedAtMs: unfinished?.digest === offer.digest ? unfinished.startedAtMs : clock.nowMs(),
    deadlineMs: own.deadlineMs,
    // A change during an unfinished one rolls back to the Deployment before both.
    ...(own.hasWayBack ? { previous: unfinished?.previous ?? restorableDeployment(live) } : {}),
  };
  passedMs(context, rollout);
  // Stored first: the next leader must know what to roll back to.
  await secrets.changeIdentity((held) => ({ ...known(held), rollout, refused: undefined }), signal);
  log.info("changing the own Deployment", { version: own.version, digest: offer.digest });
  await applyDeployment(context, own.deployment, signal);
  return requeueAfterMs;
}

/** There the old agent is removed first: if the new one is not admitted, none is left. */
async function admitsNodeNetwork({ downstreamApi, settings }: AgentContext, signal: AbortSignal): Promise<boolean> {
  const namespace = await downstreamApi.get({ type: resourceTypes.namespace, name: settings.namespace }, { signal });
  const level = namespace?.metadata.labels?.["pod-security.kubernetes.io/enforce"] ?? "privileged";
  return level === "privileged";
}

/** True when the change has ended: it is done, or rolled back. */
async function watchOver(
  context: AgentContext,
  { rollout, live }: { readonly rollout: Rollout; readonly live: KubeObject },
  signal: AbortSignal,
): Promise<boolean> {
  const { secrets, log } = context;
  const isApplied = manifestDigestOf(live) === rollout.digest;
  if (isApplied && isRolledOut(live)) {
    log.info("the own Deployment was changed", { version: rollout.version });
    await secrets.changeIdentity((held) => ({ ...known(held), rollout: undefined }), signal);
    return true;
  }
  if (passedMs(context, rollout) < rollout.deadlineMs) return false;
  if (rollout.previous === undefined) {
    log.error("the new agent is not ready, and in the node's network there is no way back", {
      version: rollout.version,
    });
    await secrets.changeIdentity((held) => ({ ...known(held), rollout: undefined }), signal);
    return true;
  }
  log.error("the new agent did not become ready: going back", { version: rollout.version });
  const refused = { digest: rollout.digest, version: rollout.version };
  await applyDeployment(context, rollout.previous, signal);
  await secrets.changeIdentity((held) => ({ ...known(held), rollout: undefined, refused }), signal);
  return true;
}

/**
 * How long a change has taken. The machine's clock counts only for the time before this process watched it: it may be set, and
 * it continues while the machine is suspended and no Pod can become ready.
 */
function passedMs({ state, clock }: AgentContext, { digest, startedAtMs }: Rollout): number {
  const nowMs = clock.monotonicMs();
  const watched = state.watchedRollout;
  if (watched?.digest === digest && watched.startedAtMs === startedAtMs) return nowMs - watched.beganMs;
  const beforeMs = Math.max(0, clock.nowMs() - startedAtMs);
  state.watchedRollout = { digest, startedAtMs, beganMs: nowMs - beforeMs };
  return beforeMs;
}

/** By the hub's field manager: fields that an earlier manifest set and this one does not are removed. */
async function applyDeployment(context: AgentContext, deployment: KubeObject, signal: AbortSignal): Promise<void> {
  await context.downstreamApi.apply(deployment, { fieldManager: fieldManagers.hub, signal });
}

function deploymentRef({ settings }: AgentContext): ObjectRef {
  return { type: resourceTypes.deployment, namespace: settings.namespace, name: agentNames.agent };
}

function known(identity: AgentIdentity | undefined): AgentIdentity {
  if (identity === undefined) throw new AppError("E_BUG", "an agent that rolls out has an identity");
  return identity;
}
