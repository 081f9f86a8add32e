import { objectsAt, textAt } from "../../src/core/read-json.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { annotationKeys } from "../../src/model/well-known.ts";
import { workspace } from "./daemon-process.ts";
import type { Deed } from "./deeds.ts";
import type { Stage } from "./do-deed.ts";
import { clusterFile, clusterPaths, commitFiles, headOf, nextNameOf } from "./fleet-files.ts";
import { foreignOf } from "./foreign/foreign-names.ts";
import { noteApproval } from "./people.ts";

/** The hub refuses to rename such a cluster, or loses its agent. */
const hindrances = [annotationKeys.leave, annotationKeys.movedTo, annotationKeys.revoked, annotationKeys.reconcile];

/**
 * A person gives a cluster another name in git, if the hub shows that it has joined. Most renames are approved: the budget of a
 * small fleet is one a day. Of one kind of rename the person suspends the cluster first, in the same moment.
 */
export function renameCluster(stage: Stage, { kind, pick }: Deed, name: string): void {
  const { world, intent } = stage;
  const { personApi: api } = world;
  // The agents of other projects keep their names.
  if (foreignOf(name) !== undefined) return;
  const what = `rename ${name}`;
  world.act(what, async () => {
    const ref = { type: resourceTypes.cluster, namespace: workspace, name };
    const live = await api.get(ref);
    if (!canBeRenamed(live) || intent.suspended.has(name) || intent.revoked.has(name)) return;
    const head = headOf(world);
    const path = [...clusterPaths(world, head)].find(([, one]) => one === name)?.[0];
    if (path === undefined) return;
    if (kind === "rename suspended cluster") {
      intent.suspended.add(name);
      const annotations = { [annotationKeys.reconcile]: "disabled" };
      await api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "rollcall-operator" });
      world.story.tell("people", `suspend ${name}, to rename it`);
    }
    const next = nextNameOf(name, intent.formerNames.size);
    intent.formerNames.set(next, name);
    const isApproved = Math.floor(pick * 16) % 4 !== 0;
    const files = new Map([
      [path, null],
      [`clusters/${next}.yaml`, clusterFile(next, String(Math.round(world.scheduler.elapsedMs)), name)],
    ]);
    const trailer = isApproved ? "\n\nRollcall-Allow-Deletions: 1" : "";
    const commit = commitFiles(world, files, `Rename ${name} to ${next}${trailer}`);
    if (isApproved) noteApproval(stage, commit, 1);
  });
}

function canBeRenamed(live: KubeObject | undefined): boolean {
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return false;
  const joined = objectsAt(live, "status", "conditions").find(({ type }) => type === "Joined");
  if (textAt(joined, "status") !== "True") return false;
  return hindrances.every((key) => live.metadata.annotations?.[key] === undefined);
}
