import { textAt } from "../../../src/core/read-json.ts";
import { leasePrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** A daemon that lost its Lease ends its work within the time that the Lease lasts. */
const graceMs = 12_000;
const leaseMs = 10_000;
/** What every replica writes, or what it writes before it knows whether it leads. */
const anybodys = /\/(?:leases|events)(?:\/|\?|$)|\/tokenreviews|\/subjectaccessreviews/u;

/** No two replicas write under one Lease: who holds neither of them writes nothing but Leases and Events. */
export function oneReplicaWrites({ world, mirror, violate }: Scene): Invariant {
  const name = "no two replicas write under one Lease term";
  /** When each replica was last known to hold a Lease. */
  const heldAt = new Map<string, number>();
  const holders = new Map<string, string>();
  const note = (): void => {
    for (const holder of holders.values()) heldAt.set(holder, world.scheduler.elapsedMs);
  };
  return {
    name,
    onRestore: () => {
      note();
      holders.clear();
      for (const lease of ["rollcall-hub", "rollcall-repository"]) {
        const holder = textAt(mirror.get(`${leasePrefix}rollcall-system/${lease}`), "spec", "holderIdentity");
        if (holder !== undefined && holder !== "") holders.set(lease, holder);
      }
      note();
    },
    onRow: ({ key, after }) => {
      const lease = key.startsWith(`${leasePrefix}rollcall-system/`) ? key.split("/").at(-1) : undefined;
      if (lease !== "rollcall-hub" && lease !== "rollcall-repository") return;
      note();
      const holder = textAt(after, "spec", "holderIdentity");
      if (holder === undefined || holder === "") holders.delete(lease);
      else holders.set(lease, holder);
      note();
    },
    onCall: ({ client, server, request, sentAtMs, status }) => {
      if (world.replicas.length < 2 || server !== world.hub || !world.replicas.includes(client)) return;
      if (request.method === "GET" || status >= 300 || anybodys.test(request.path)) return;
      if ([...holders.values()].includes(client.name)) return;
      const lastMs = heldAt.get(client.name);
      // Before it ever led, a daemon makes what the hub lacks: its key, its Repository.
      if (lastMs === undefined || world.hub.node.resumesAtMs > 0) return;
      if (sentAtMs - lastMs <= graceMs) return;
      const seconds = Math.round((sentAtMs - lastMs) / 1000);
      violate(name, `${client.name} writes ${request.method} ${request.path}, ${seconds} s after it held a Lease last`);
    },
    // The holder's name is that of the replica, and the Lease of the branch is the repository's.
    onRefUpdate: ({ by, branch }) => {
      const lastMs = heldAt.get(by);
      if (world.replicas.length < 2 || [...holders.values()].includes(by) || lastMs === undefined) return;
      const lateMs = world.scheduler.elapsedMs - lastMs;
      if (lateMs > graceMs)
        violate(name, `${by} pushes ${branch}, ${Math.round(lateMs / 1000)} s after it held a Lease last`);
    },
  };
}

/** A replica takes a Lease only if its holder gave it back, or did not renew it for its whole time. */
export function leasesAreRespected({ world, violate }: Scene): Invariant {
  const name = "a Lease is taken only when it was given back or has expired";
  const renewedAt = new Map<string, number>();
  return {
    name,
    onRow: ({ key, before, after }) => {
      if (!key.startsWith(`${leasePrefix}rollcall-system/rollcall-`) || key.endsWith("/rollcall-watch")) return;
      const { elapsedMs } = world.scheduler;
      const [was, is] = [before, after].map((lease) => textAt(lease, "spec", "holderIdentity") ?? "");
      const ageMs = elapsedMs - (renewedAt.get(key) ?? -Infinity);
      renewedAt.set(key, elapsedMs);
      if (was === "" || is === "" || was === is) return;
      // It counts from when the successor has seen the renewal.
      if (ageMs >= leaseMs) return world.story.tell("hub", `${is} takes ${key.split("/").at(-1)} from ${was}`);
      violate(name, `${is} takes ${key} from ${was}, which renewed it ${Math.round(ageMs / 1000)} s ago`);
    },
  };
}

/** After a fault: a Lease may have to expire, and its holder to step down. */
const settledAfterMs = 120_000;

/** In calm times a Lease keeps its holder. */
export function leadersStay({ world, violate, disturbedAtMs }: Scene): Invariant {
  const name = "in calm times a leader keeps its Lease";
  let isStartedAfresh = false;
  return {
    name,
    onFreshStart: () => (isStartedAfresh = true),
    onRow: ({ key, before, after }) => {
      if (isStartedAfresh || !key.startsWith(`${leasePrefix}rollcall-system/rollcall-`)) return;
      const [was, is] = [before, after].map((lease) => textAt(lease, "spec", "holderIdentity") ?? "");
      // The same replica may take it anew: then it gave up its work meanwhile.
      const [wasTaken, isTaken] = [before, after].map((lease) =>
        key.endsWith("/rollcall-watch") ? "" : textAt(lease, "spec", "acquireTime"),
      );
      if (
        was === "" ||
        (was === is && wasTaken === isTaken) ||
        world.scheduler.elapsedMs - disturbedAtMs() < settledAfterMs
      )
        return;
      violate(name, `${was} loses ${key.split("/").at(-1)} to ${is === "" ? "no replica" : is}`);
    },
  };
}
