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
/** Agents write these at any time; an agent that is refused asks anew, Fleet's after half an hour, and its request expires. */
const chatter =
  /^\/(?:coordination\.k8s\.io\/leases|events\.k8s\.io\/events|\/events|rollcall\.dev\/clusterreports|[a-z.]+\/clusterregistrations)\//u;

/** Answers to agents of other projects, and who may read them: they end by time alone, up to 40 minutes after the agent joined. */
export const ending =
  /^\/(?:\/secrets\/cattle-fleet-clusters-system\/|rbac\.authorization\.k8s\.io\/(?:role(?:binding)?s\/cattle-fleet-clusters-system\/|clusterrolebindings\/\/rollcall-clusternet\.))/u;

/** What agents of other projects report of themselves is in objects that the hub writes, too. */
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
  const objects = createTree();
  let meaningfulRows = 0;
  const lastKeys: string[] = [];
  return {
    lastKeys,
    begin: (rows) => {
      objects.clear();
      for (const { kind, record } of [...rows].sort((a, b) => a.record.modRevision - b.record.modRevision))
        objects.set(record.key, kind === "delete" ? undefined : record.object);
    },
    take: ({ kind, record }) => {
      const { key } = record;
      const before = objects.get(key);
      const after = kind === "delete" ? undefined : record.object;
      if (!chatter.test(key) && !ending.test(key) && !isHeartbeat(key, before, after)) {
        meaningfulRows += 1;
        lastKeys.push(key);
        if (lastKeys.length > 4) lastKeys.shift();
      }
      objects.set(key, after);
      return { before, after };
    },
    get: (key) => objects.get(key),
    below: (prefix) => objects.below(prefix),
    get meaningfulRows() {
      return meaningfulRows;
    },
  };
}

/** Objects by their keys: one folder is searched for a prefix, not the hub. */
function createTree() {
  const folders = new Map<string, Map<string, KubeObject>>();
  const split = (key: string): readonly [folder: string, name: string] => {
    const end = key.lastIndexOf("/") + 1;
    return [key.slice(0, end), key.slice(end)];
  };
  return {
    clear: () => folders.clear(),
    get: (key: string): KubeObject | undefined => {
      const [folder, name] = split(key);
      return folders.get(folder)?.get(name);
    },
    set: (key: string, object: KubeObject | undefined): void => {
      const [folder, name] = split(key);
      const objects = folders.get(folder) ?? new Map<string, KubeObject>();
      if (object === undefined) objects.delete(name);
      else folders.set(folder, objects.set(name, object));
    },
    below: (prefix: string): ReadonlyMap<string, KubeObject> => {
      const [within, begin] = split(prefix);
      const found = new Map<string, KubeObject>();
      for (const [folder, objects] of folders)
        if (folder.startsWith(prefix))
          for (const [name, one] of objects) found.set(`${folder.slice(prefix.length)}${name}`, one);
        else if (folder === within)
          for (const [name, one] of objects) if (name.startsWith(begin)) found.set(name.slice(begin.length), one);
      return found;
    },
  };
}
