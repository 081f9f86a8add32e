import { annotationKeys } from "../../../src/model/well-known.ts";
import { clusterPrefix } from "../mirror.ts";
import type { HubMirror } from "../mirror.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { Invariant, Scene } from "./invariant.ts";
import { hasAgentAgain } from "./may-work.ts";
import type { LostAgentScene } from "./may-work.ts";

/** Before the end of a calm time. */
const quietMs = 120_000;

/** A credential of that age is due to be renewed, also at rest: a third of its time is left. */
const renewedAgeMs = 15 * 3600_000;
const credentialKey = /^\/\/secrets\/fleet\/(rollcall-.+)\.\d+$/u;

/** What this invariant reads. */
interface RestScene extends LostAgentScene, Pick<Scene, "violate"> {
  readonly world: LostAgentScene["world"] & { readonly remote: { readonly refs: ReadonlyMap<string, string> } };
  readonly mirror: Pick<HubMirror, "meaningfulRows" | "lastKeys">;
}

/** At rest nothing is written: in the last minutes of a calm time the hub has no new row but Leases, Events, reports and requests to join. */
export function restIsQuiet({ world, mirror, intent, violate }: RestScene): Invariant {
  const name = "a run with nothing to do writes nothing";
  interface Count {
    readonly atMs: number;
    readonly rows: number;
    readonly refs: string;
  }
  let counts: Count[] = [];
  /** Removals wait for an agent that does not answer, and end a quarter of an hour after the last deed, or later. */
  let removalEndedAtMs = -Infinity;
  /** When the newest credential of each account was made, by the hub's clock. */
  const madeAtMs = new Map<string, number>();
  let renewedAtMs = -Infinity;
  const recordCredential = (account: string, { metadata }: KubeObject): void => {
    const atMs = Date.parse(metadata.creationTimestamp ?? "");
    if (atMs - (madeAtMs.get(account) ?? Infinity) >= renewedAgeMs) renewedAtMs = world.scheduler.elapsedMs;
    madeAtMs.set(account, atMs);
  };
  const count = (): Count => ({
    atMs: world.scheduler.elapsedMs,
    rows: mirror.meaningfulRows,
    refs: JSON.stringify([...world.remote.refs]),
  });
  return {
    name,
    onRow: ({ key, before, after }) => {
      const account = credentialKey.exec(key)?.[1];
      if (account !== undefined && before === undefined && after !== undefined) recordCredential(account, after);
      if (!key.startsWith(clusterPrefix) || after !== undefined) return;
      if (before?.metadata.annotations?.[annotationKeys.leave] !== undefined)
        removalEndedAtMs = world.scheduler.elapsedMs;
    },
    onTick: () => {
      const now = count();
      counts = [...counts.filter(({ atMs }) => now.atMs - atMs <= quietMs), now];
    },
    atRest: () => {
      const [before] = counts;
      const now = count();
      const excusedAtMs = Math.max(removalEndedAtMs, renewedAtMs);
      if (before === undefined || world.scheduler.elapsedMs - excusedAtMs <= quietMs) return;
      if (now.refs !== before.refs) violate(name, "a branch moved in the last two minutes of rest");
      const rows = now.rows - before.rows;
      if (rows > 0 && [...intent.lostAgents.keys()].every((cluster) => hasAgentAgain({ world, intent }, cluster)))
        violate(name, `${rows} rows were written in the last two minutes of rest: ${mirror.lastKeys.join(", ")}`);
    },
  };
}
