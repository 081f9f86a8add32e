import { isJsonEqual } from "../../../src/core/json.ts";
import { textAt, valueAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { firstNameOf } from "../first-name.ts";
import { declaredAt } from "../fleet-files.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

const movedToKey = "rollcall.dev/moved-to";
const requestPrefix = "/rollcall.dev/clusterregistrations/fleet/";

/** A renamed cluster keeps its agent, which does not join again; its former name is deleted when the agent works under the new one. */
export function renamedClustersKeepTheirAgents({ world, mirror, intent, violate }: Scene): Invariant {
  const name = "a renamed cluster keeps its agent";
  /** Keys of clusters whose former name is deleted, and whose status does not name any yet: it is written later. */
  const awaited = new Map<string, unknown>();
  const compare = (to: string, was: unknown, is: unknown): void => {
    if (!isJsonEqual(was, is))
      violate(name, `${to} has the keys ${JSON.stringify(is)}, where its former name had ${JSON.stringify(was)}`);
  };
  return {
    name,
    onRestore: () => awaited.clear(),
    onRow: ({ key, before, after }) => {
      const renamed = key.startsWith(clusterPrefix) ? key.slice(clusterPrefix.length) : "";
      const first = awaited.has(renamed) ? keysOf(after) : undefined;
      if (first !== undefined) compare(renamed, awaited.get(renamed), first);
      if (first !== undefined || after === undefined) awaited.delete(renamed);
      if (key.startsWith(requestPrefix)) {
        const cluster = textAt(after, "spec", "clusterName") ?? "";
        const [was, is] = [before, after].map((request) => textAt(request, "status", "decision"));
        if (is !== "Granted" || was === is || !intent.formerNames.has(cluster)) return;
        // One that was locked out is installed again, and so is that of a cluster which was built anew.
        const isToJoin = [intent.lockedOut, intent.rebuilt].some((names) => names.has(firstNameOf(cluster)));
        if (!isToJoin) violate(name, `the agent of ${cluster} joins again`);
        return;
      }
      if (!key.startsWith(clusterPrefix) || before === undefined || after !== undefined) return;
      const { annotations = {} } = before.metadata;
      const former = key.slice(clusterPrefix.length);
      const to = annotations[movedToKey]?.split("/")[1];
      if (to === undefined || annotations["rollcall.dev/leave"] !== undefined) return;
      if (intent.deletedByHand.has(former) || intent.deletedByHand.has(to)) return;
      const successor = mirror.get(`${clusterPrefix}${to}`);
      const [was, is] = [before, successor].map(keysOf);
      world.story.tell("hub", `${former} has become ${to}`);
      if (successor === undefined) violate(name, `${former} is removed, and ${to} is not there`);
      else if (was !== undefined && is === undefined) awaited.set(to, was);
      else if (was !== undefined) compare(to, was, is);
    },
    atRest: () => {
      for (const [to, was] of awaited) compare(to, was, undefined);
      for (const [cluster, { metadata }] of mirror.below(clusterPrefix)) {
        const to = metadata.annotations?.[movedToKey]?.split("/")[1];
        if (to === undefined) continue;
        const isHindered = [cluster, to].some((one) => intent.suspended.has(one));
        const member = world.members.get(firstNameOf(cluster));
        if (isHindered || intent.lockedOut.has(firstNameOf(cluster)) || member?.agent.isAlive !== true) continue;
        violate(name, `${cluster} becomes ${to}, and that does not end`);
      }
    },
  };
}

function keysOf(cluster: KubeObject | undefined): unknown {
  return valueAt(cluster, "status", "identity", "keys");
}

export interface WaitingRename {
  /** The new name. */
  readonly cluster: string;
  readonly former: string;
  /** The hub reports it as an error of the file. */
  readonly isRefused: boolean;
}

const refusingKeys = ["rollcall.dev/reconcile", "rollcall.dev/revoked", "rollcall.dev/leave"];

/**
 * Renames of a commit that have not begun: one Cluster still has the former name, and none has the new one. They wait for the
 * budget, or are refused: the former is suspended, revoked or leaves. Refused is also what would end the agent of the former
 * name, when the new one has one too.
 * @param formerNames of clusters whose file is broken: their rename waits by what it was before
 */
export function renamesThatWait(
  { world, mirror }: Pick<Scene, "world" | "mirror">,
  commit: string | undefined,
  formerNames: ReadonlyMap<string, string> = new Map(),
): readonly WaitingRename[] {
  return [...declaredAt(world, commit)].flatMap(([cluster, { previousName, isBroken }]): readonly WaitingRename[] => {
    const former = isBroken ? formerNames.get(cluster) : previousName;
    const live = former === undefined ? undefined : mirror.get(`${clusterPrefix}${former}`);
    if (former === undefined || live === undefined || hasBegunToMove(live.metadata)) return [];
    const { annotations = {}, managedFields = [] } = live.metadata;
    const successor = mirror.get(`${clusterPrefix}${cluster}`);
    if (successor === undefined)
      return [{ cluster, former, isRefused: refusingKeys.some((key) => annotations[key] !== undefined) }];
    const hasAgent = [successor, live].every((one) => keysOf(one) !== undefined);
    const isOfGit = managedFields.some(({ manager }) => manager === "rollcall-git");
    return hasAgent && isOfGit ? [{ cluster, former, isRefused: true }] : [];
  });
}

/** Whether its successor is being made: the removal of this name is decided. */
export function hasBegunToMove({ annotations }: KubeObject["metadata"]): boolean {
  return annotations?.[movedToKey] !== undefined;
}
