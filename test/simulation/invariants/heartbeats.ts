import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { foreignFactsOf } from "../foreign/foreign-facts.ts";
import { clusterPrefix, leasePrefix } from "../mirror.ts";
import type { HubMirror } from "../mirror.ts";
import type { Server } from "../network.ts";
import type { Pace } from "../pace.ts";
import type { Scheduler } from "../scheduler.ts";
import type { Story } from "../story.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** For a report to be written: a result may be under way while a fault holds it up. */
const slackMs = 60_000;

/** A hub that is away for less may be back before a process has noticed. */
const outageMs = 10_000;

export interface HeartbeatScene extends Pick<
  Scene,
  "violate" | "calmSinceMs" | "disturbedAtMs" | "outsideDisturbedAtMs"
> {
  readonly world: {
    readonly scheduler: Pick<Scheduler, "elapsedMs">;
    readonly story: Pick<Story, "tell">;
    readonly hub: Pick<Server, "serve">;
    readonly pace: Pick<Pace, "heartbeatSeconds">;
  };
  readonly mirror: Pick<HubMirror, "get" | "below">;
}

/**
 * A cluster whose heartbeats the hub took is not called unresponsive before a whole window without one, nor for longer than
 * one window after they came back; one that sends none is not called healthy for longer than a window.
 */
export function heartbeatsAreToldRightly({
  world,
  mirror,
  violate,
  calmSinceMs,
  disturbedAtMs,
  outsideDisturbedAtMs,
}: HeartbeatScene): Invariant {
  const name = "unresponsive means a whole window without a heartbeat";
  /** Three heartbeats. */
  const windowMs = world.pace.heartbeatSeconds * 3000;
  const beatAt = new Map<string, number>();
  const toldSince = new Map<string, { readonly isMissed: boolean; readonly atMs: number }>();
  /** When each cluster that was suspended was resumed: until then its status stays as it was. */
  const resumedAt = new Map<string, number>();
  const told = new Set<string>();
  /** When the hub was away last, as far as it was seen. */
  let outage = { fromMs: 0, untilMs: -Infinity };
  let wasAway = false;
  const noteOutage = (): void => {
    const { elapsedMs } = world.scheduler;
    const isAway = world.hub.serve === undefined;
    if (isAway) outage = { fromMs: wasAway ? outage.fromMs : elapsedMs, untilMs: elapsedMs };
    wasAway = isAway;
  };
  const violateOnce = (cluster: string, text: string): void => {
    if (told.has(cluster)) return;
    told.add(cluster);
    violate(name, text);
  };
  return {
    name,
    onRestore: () => {
      const { elapsedMs } = world.scheduler;
      // What the hub receives of agents from now on counts anew.
      outage = { fromMs: elapsedMs, untilMs: elapsedMs };
      toldSince.clear();
      for (const [cluster, object] of mirror.below(clusterPrefix)) {
        toldSince.set(cluster, { isMissed: isCalledMissed(object), atMs: elapsedMs });
        if (!isSuspended(object)) resumedAt.set(cluster, elapsedMs);
      }
    },
    onRow: ({ key, before, after }) => {
      const { elapsedMs } = world.scheduler;
      const sender = senderOf(key);
      const beat = sender === undefined ? undefined : beatIn(sender, after);
      if (sender !== undefined && beat !== undefined && beat !== beatIn(sender, before)) beatAt.set(sender, elapsedMs);
      if (!key.startsWith(clusterPrefix)) return;
      const cluster = key.slice(clusterPrefix.length);
      const isMissed = isCalledMissed(after);
      if (isSuspended(before) && !isSuspended(after)) resumedAt.set(cluster, elapsedMs);
      if (after === undefined) toldSince.delete(cluster);
      else if (toldSince.get(cluster)?.isMissed !== isMissed) toldSince.set(cluster, { isMissed, atMs: elapsedMs });
      if (!isMissed || isCalledMissed(before)) return;
      world.story.tell("hub", `${cluster} is called unresponsive`);
      const silentMs = elapsedMs - (beatAt.get(cluster) ?? -Infinity);
      const sinceOutageMs = elapsedMs - outage.untilMs;
      // Before the outage it had sent none for a short time only, and during it no heartbeat could arrive.
      const wasHeard = outage.fromMs - (beatAt.get(cluster) ?? -Infinity) < windowMs - slackMs;
      const isOutage = outage.untilMs - outage.fromMs >= outageMs;
      if (isOutage && sinceOutageMs < windowMs - slackMs && wasHeard && !isRevoked(after))
        violateOnce(cluster, `${cluster} is called unresponsive ${Math.round(sinceOutageMs / 1000)} s after an outage`);
      if (silentMs < windowMs - 1000 && elapsedMs - outsideDisturbedAtMs() > slackMs)
        violateOnce(cluster, `${cluster} is called unresponsive ${Math.round(silentMs / 1000)} s after a heartbeat`);
    },
    onTick: () => {
      noteOutage();
      const calm = calmSinceMs();
      const { elapsedMs } = world.scheduler;
      if (calm === undefined) return;
      for (const [cluster, { isMissed, atMs }] of toldSince) {
        const object = mirror.get(`${clusterPrefix}${cluster}`);
        if (isSuspended(object)) continue;
        const beatMs = beatAt.get(cluster);
        if (beatMs === undefined || mirror.get(beatKeyOf(cluster)) === undefined) continue;
        const silentMs = elapsedMs - beatMs;
        // A watch that ends is an interruption: windows start anew.
        const calmMs = elapsedMs - Math.max(calm, disturbedAtMs(), resumedAt.get(cluster) ?? 0);
        const watchedMs = Math.min(calmMs, elapsedMs - atMs);
        if (isMissed && silentMs < windowMs && watchedMs > windowMs + slackMs)
          violateOnce(
            cluster,
            `${cluster} sends heartbeats and is called unresponsive for ${Math.round(watchedMs / 1000)} s`,
          );
        if (isHealthy(object) && Math.min(silentMs, calmMs) > windowMs + slackMs)
          violateOnce(
            cluster,
            `${cluster} has sent no heartbeat for ${Math.round(silentMs / 1000)} s and is called healthy`,
          );
      }
    },
  };
}

/** Its agent cannot send heartbeats, and no window spares it: a daemon that was stopped meanwhile knows of no short outage. */
function isRevoked(cluster: KubeObject | undefined): boolean {
  return cluster?.metadata.annotations?.["rollcall.dev/revoked"] !== undefined;
}

function isSuspended(cluster: KubeObject | undefined): boolean {
  return cluster?.metadata.annotations?.["rollcall.dev/reconcile"] === "disabled";
}

function beatKeyOf(cluster: string): string {
  return foreignFactsOf(cluster)?.beatKeyOf(cluster) ?? `${leasePrefix}fleet/rollcall-${cluster}`;
}

/** The cluster whose heartbeats the object with this key carries. */
function senderOf(key: string): string | undefined {
  const lease = /^\/coordination\.k8s\.io\/leases\/fleet\/rollcall-(.+)$/u.exec(key)?.[1];
  const cluster = lease ?? key.split("/").at(-1) ?? "";
  return beatKeyOf(cluster) === key ? cluster : undefined;
}

function beatIn(cluster: string, object: KubeObject | undefined): string | undefined {
  const facts = foreignFactsOf(cluster);
  return facts === undefined ? textAt(object, "spec", "renewTime") : facts.beatIn(object);
}

function healthyOf(cluster: KubeObject | undefined) {
  return objectsAt(cluster, "status", "conditions").find((condition) => condition["type"] === "Healthy");
}

function isCalledMissed(cluster: KubeObject | undefined): boolean {
  return healthyOf(cluster)?.["reason"] === "HeartbeatMissed";
}

function isHealthy(cluster: KubeObject | undefined): boolean {
  return (
    healthyOf(cluster)?.["status"] === "True" && cluster?.metadata.annotations?.["rollcall.dev/leave"] === undefined
  );
}
