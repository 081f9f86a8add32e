import { objectAt, textAt } from "../../../src/core/read-json.ts";
import { parseJson } from "../../../src/core/parse-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { admittedBy as admittedAgent } from "../foreign/admitted.ts";
import { clientIdOf, foreignOf } from "../foreign/foreign-names.ts";
import type { HubMirror } from "../mirror.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Scheduler, SimNode } from "../scheduler.ts";
import type { Invariant, Scene } from "./invariant.ts";

const kinds = ["//serviceaccounts/fleet/", "//secrets/fleet/"] as const;
/** For a daemon to see what a person did. */
const seenAfterMs = 15_000;
/** After a fault: retries may wait so long. */
const settledAfterMs = 60_000;
/** For the objects of a revoked cluster to be deleted. */
const deletedAfterMs = 30_000;
/** What the hub remembers of each member. */
const statePrefix = "//configmaps/fleet/rollcall-cluster-";
const tokenRequest = /\/namespaces\/fleet\/serviceaccounts\/rollcall-([^./]+)[^/]*\/token(?:\?|$)/u;

export interface CredentialScene extends Pick<Scene, "violate" | "hubUnseenAtMs"> {
  readonly world: {
    readonly scheduler: Pick<Scheduler, "elapsedMs">;
    readonly hub: object;
    readonly replicas: readonly SimNode[];
  };
  readonly mirror: Pick<HubMirror, "get" | "below">;
}

/** What is revoked or removed has no account and no Secret on the hub, is issued no credential, and is not admitted. */
export function noCredentialIsLeft({ world, mirror, violate, hubUnseenAtMs }: CredentialScene): Invariant {
  const name = "what is revoked or removed has no credential, and is given none";
  /** Since when each cluster is revoked or leaves. */
  const barredSince = new Map<string, number>();
  /** What was removed while daemons did not see all that a restored hub has, and when. They find the rest later. */
  const removedUnseen = new Map<string, number>();
  let restoredAtMs = -Infinity;
  const credentialsOf = (cluster: string): string[] =>
    foreignOf(cluster) === undefined ? ownCredentialsOf(cluster) : foreignCredentialsOf(cluster);
  const foreignCredentialsOf = (cluster: string): string[] =>
    ["//serviceaccounts/", "//secrets/"].flatMap((prefix) =>
      [...mirror.below(prefix)]
        .filter(([, { metadata }]) => metadata.labels?.["rollcall.dev/cluster"] === cluster)
        .map(([rest]) => `${prefix}${rest}`),
    );
  const ownCredentialsOf = (cluster: string): string[] =>
    kinds.flatMap((prefix) =>
      [...mirror.below(`${prefix}rollcall-${cluster}`).keys()]
        .filter((rest) => rest === "" || rest.startsWith("."))
        .map((rest) => `${prefix}rollcall-${cluster}${rest}`),
    );
  const isBarred = (cluster: string, atMs: number): boolean => {
    const since = barredSince.get(cluster);
    return since !== undefined && atMs - Math.max(since, hubUnseenAtMs() + settledAfterMs) > seenAfterMs;
  };
  const isOut = (cluster: KubeObject | undefined): boolean =>
    ["rollcall.dev/revoked", "rollcall.dev/leave"].some((one) => cluster?.metadata.annotations?.[one] !== undefined);
  const checkRemoved = (cluster: string): void => {
    const left = credentialsOf(cluster);
    if (left.length > 0) violate(name, `${cluster} is removed, and the hub still has ${left.join(", ")}`);
  };
  return {
    name,
    onRestore: () => {
      restoredAtMs = world.scheduler.elapsedMs;
      removedUnseen.clear();
      for (const cluster of barredSince.keys())
        if (!isOut(mirror.get(`${clusterPrefix}${cluster}`))) barredSince.delete(cluster);
    },
    onRow: ({ key, before, after }) => {
      const { elapsedMs } = world.scheduler;
      if (key.startsWith("/rollcall.dev/clusterregistrations/fleet/")) {
        const [was, decision] = [before, after].map((request) => textAt(request, "status", "decision"));
        const cluster = textAt(after, "spec", "clusterName");
        if (decision !== "Granted" || was === decision || cluster === undefined) return;
        if (isBarred(cluster, elapsedMs)) violate(name, `a request to join as ${cluster} is granted`);
        return;
      }
      const admitted = admittedAgent(key, after);
      if (admitted !== undefined && admittedAgent(key, before) === undefined) {
        const cluster = [...barredSince.keys()].find((one) => clientIdOf(one) === admitted);
        if (cluster !== undefined && isBarred(cluster, elapsedMs))
          violate(name, `a request to join as ${cluster} is granted`);
        return;
      }
      if (key.startsWith(statePrefix)) {
        const cluster = key.slice(statePrefix.length);
        const [was, is] = [before, after].map(admittedBy);
        if (is !== undefined && was !== is && isBarred(cluster, elapsedMs))
          violate(name, `the hub admits ${is} as ${cluster}, which is revoked or leaves`);
        return;
      }
      if (!key.startsWith(clusterPrefix)) return;
      const cluster = key.slice(clusterPrefix.length);
      if (after !== undefined) removedUnseen.delete(cluster);
      if (!isOut(after)) barredSince.delete(cluster);
      else if (!barredSince.has(cluster)) barredSince.set(cluster, elapsedMs);
      const wasOut = ["rollcall.dev/leave", "rollcall.dev/moved-to"].some((one) => before?.metadata.annotations?.[one]);
      if (after !== undefined || !wasOut) return;
      if (elapsedMs - restoredAtMs < settledAfterMs) removedUnseen.set(cluster, elapsedMs);
      else checkRemoved(cluster);
    },
    onCall: ({ client, server, request, sentAtMs }) => {
      if (server !== world.hub || !world.replicas.includes(client) || request.method !== "POST") return;
      const cluster = tokenRequest.exec(request.path)?.[1];
      if (cluster !== undefined && isBarred(cluster, sentAtMs))
        violate(name, `${client.name} asks for a token of ${cluster}, which is revoked or leaves`);
    },
    onTick: () => {
      for (const [cluster, atMs] of removedUnseen) {
        if (world.scheduler.elapsedMs - Math.max(atMs, hubUnseenAtMs() + settledAfterMs) <= deletedAfterMs) continue;
        removedUnseen.delete(cluster);
        checkRemoved(cluster);
      }
      // Of a removed cluster they stay until its agent has removed itself.
      for (const cluster of barredSince.keys()) {
        const isRevoked = mirror.get(`${clusterPrefix}${cluster}`)?.metadata.annotations?.["rollcall.dev/revoked"];
        if (isRevoked === undefined || !isBarred(cluster, world.scheduler.elapsedMs - deletedAfterMs)) continue;
        const left = credentialsOf(cluster);
        if (left.length > 0) violate(name, `${cluster} is revoked, and the hub has ${left.join(", ")}`);
      }
    },
  };
}

/** The request by which the agent of this member was admitted last, and when: the same request may be granted twice. */
function admittedBy(state: KubeObject | undefined): string | undefined {
  const join = objectAt(parseJson(textAt(state, "data", "memory") ?? "{}"), "join");
  const registration = textAt(join, "registration");
  return registration && `${registration} at ${textAt(join, "time")}`;
}
