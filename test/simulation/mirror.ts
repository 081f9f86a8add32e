import type { Row } from "../../src/embedded-hub/store/row-format.ts";
import { isJsonEqual, isJsonObject } from "../../src/core/json.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";

/** What is durable on the hub, from its disk: no cache and no client of the program is asked. */
export interface HubMirror {
  /** The disk has other rows: what they make of it is what is there. */
  begin(rows: readonly Row[]): void;
  take(row: Row): { readonly before: KubeObject | undefined; readonly after: KubeObject | undefined };
  get(key: string): KubeObject | undefined;
  /** Objects whose key begins so, by the rest of the key. */
  below(prefix: string): ReadonlyMap<string, KubeObject>;
  /** How many rows have been written whose key is not of a Lease, an Event, a report or a request to join. */
  readonly meaningfulRows: number;
  /** Keys of the last few of these. */
  readonly lastKeys: readonly string[];
}

export const clusterPrefix = "/rollcall.dev/clusters/fleet/";
export const repositoryKey = "/rollcall.dev/repositories/rollcall-system/fleet";
export const leasePrefix = "/coordination.k8s.io/leases/";
/** Agents write these at any time; an agent that is refused asks anew, and its request expires. */
const chatter =
  /^\/(?:coordination\.k8s\.io\/leases|events\.k8s\.io\/events|\/events|rollcall\.dev\/cluster(?:reports|registrations))\//u;

/** Answers to agents of other projects, and who may read them: they end by time alone, up to 40 minutes after the agent joined. */
export const ending =
  /^\/(?:\/secrets\/cattle-fleet-clusters-system\/|rbac\.authorization\.k8s\.io\/(?:role(?:binding)?s\/cattle-fleet-clusters-system\/|clusterrolebindings\/\/rollcall-clusternet\.))/u;

/** What agents of other projects say of themselves stands in objects that the hub writes, too. */
const spoken =
  /^\/(?:fleet\.cattle\.io\/clusters|cluster\.kubernetes-fleet\.io\/\w+|clusters\.clusternet\.io\/managedclusters)\//u;
const times: ReadonlySet<string> = new Set([
  ...["lastSeen", "lastReceivedHeartbeat", "lastObservedTime", "observationTime", "lastTransitionTime"],
  ...["resourceVersion", "managedFields"],
]);

/** Whether it differs in nothing but times. */
function isHeartbeat(key: string, before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  if (!spoken.test(key) || before === undefined || after === undefined) return false;
  return isJsonEqual(withoutTimes(before), withoutTimes(after));
}

/** An object of another project without what each heartbeat changes. */
export function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (times.has(key) ? [] : [[key, withoutTimes(item)]])),
  );
}

export function createMirror(): HubMirror {
  const objects = new Map<string, KubeObject>();
  let meaningfulRows = 0;
  const lastKeys: string[] = [];
  return {
    lastKeys,
    begin: (rows) => {
      objects.clear();
      for (const { kind, record } of [...rows].sort((a, b) => a.record.modRevision - b.record.modRevision))
        if (kind === "delete") objects.delete(record.key);
        else objects.set(record.key, record.object);
    },
    take: ({ kind, record }) => {
      const { key } = record;
      const before = objects.get(key);
      if (
        !chatter.test(key) &&
        !ending.test(key) &&
        !isHeartbeat(key, before, kind === "delete" ? undefined : record.object)
      ) {
        meaningfulRows += 1;
        lastKeys.push(key);
        if (lastKeys.length > 4) lastKeys.shift();
      }
      if (kind === "delete") objects.delete(key);
      else objects.set(key, record.object);
      return { before, after: kind === "delete" ? undefined : record.object };
    },
    get: (key) => objects.get(key),
    below: (prefix) =>
      new Map([...objects].flatMap(([key, one]) => (key.startsWith(prefix) ? [[key.slice(prefix.length), one]] : []))),
    get meaningfulRows() {
      return meaningfulRows;
    },
  };
}
