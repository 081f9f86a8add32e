import { numberAt, objectsAt, textAt } from "../../../src/core/read-json.ts";
import { declaredAt, headOf } from "../fleet-files.ts";
import { hasBegunToMove, renamesThatWait } from "./renames.ts";
import { clusterPrefix, repositoryKey } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";
import { newlyApplied, whenApplied } from "./newly-applied.ts";

const leaveKey = "rollcall.dev/leave";

/** The Repository reports what of its head is on the hub: all of it, files with errors, or removals that wait. */
export function repositoryDescribesHead(scene: Scene): Invariant {
  const { world, mirror, intent, violate } = scene;
  const name = "the Repository reports what of its head is on the hub";
  /** Clusters of the hub whose removal waits for a budget or an approval. */
  const waitingAt = (commit: string | undefined): readonly string[] => {
    const declared = declaredAt(world, commit);
    return [...mirror.below(clusterPrefix)]
      .filter(([cluster, { metadata }]) => {
        const isLeaving = metadata.annotations?.[leaveKey] !== undefined || metadata.deletionTimestamp !== undefined;
        return !declared.has(cluster) && !isLeaving && !hasBegunToMove(metadata);
      })
      .map(([cluster]) => cluster);
  };
  /** Files with errors, and files that rename what may not be renamed now. */
  const brokenAt = (commit: string | undefined): number => {
    const refused = renamesThatWait({ world, mirror }, commit).filter(({ isRefused }) => isRefused);
    return [...declaredAt(world, commit).values()].filter(({ isBroken }) => isBroken).length + refused.length;
  };
  /** Broken files that renamed a cluster before, which has not begun: what they declared stays, and may be refused too. */
  const brokenRenamesAt = (commit: string | undefined): number =>
    [...declaredAt(world, commit)].filter(([cluster, { isBroken }]) => {
      const former = mirror.get(`${clusterPrefix}${intent.formerNames.get(cluster) ?? ""}`);
      return isBroken && former !== undefined && mirror.get(`${clusterPrefix}${cluster}`) === undefined;
    }).length;
  /** The daemon has seen another commit since one was applied: an applied commit that comes again may be refused. */
  let isLeft = false;
  const applied = whenApplied(scene, (commit) => {
    const waiting = waitingAt(commit);
    if (waiting.length > 0) violate(name, `${commit.slice(0, 8)} counts as applied, and ${waiting.join(", ")} stays`);
    if (brokenAt(commit) > 0) violate(name, `${commit.slice(0, 8)} counts as applied, and has files with errors`);
  });
  return {
    ...applied,
    name,
    onRow: (change) => {
      const status = change.key === repositoryKey ? change.after?.["status"] : undefined;
      const [seen, last] = ["observedCommit", "appliedCommit"].map((field) => textAt({ status }, "status", field));
      if (seen !== undefined) isLeft = newlyApplied(change) === undefined && (isLeft || seen !== last);
      applied.onRow(change);
    },
    atRest: () => {
      const repository = mirror.get(repositoryKey);
      const head = headOf(world);
      const [broken, waiting] = [brokenAt(head), waitingAt(head)];
      const condition = objectsAt(repository, "status", "conditions").find(({ type }) => type === "Applied");
      const seen = `${textAt(condition, "status") ?? "unknown"} (${textAt(condition, "reason") ?? "no reason"})`;
      const isAll = broken === 0 && waiting.length === 0;
      if (isAll !== (condition?.["status"] === "True"))
        violate(name, `Applied is ${seen}; ${broken} files have errors, and ${waiting.length} removals wait`);
      const isHeadApplied = textAt(repository, "status", "appliedCommit") === head;
      if (isAll !== isHeadApplied && !(isLeft && isHeadApplied))
        violate(name, `appliedCommit is ${textAt(repository, "status", "appliedCommit")}, and the head ${head}`);
      const errors = numberAt(repository, "status", "problems", "errors") ?? -1;
      if (errors < broken || errors > broken + brokenRenamesAt(head))
        violate(name, `it names ${errors} problems, and ${broken} files have errors`);
      const count = numberAt(repository, "status", "withheld", "count") ?? 0;
      if (broken === 0 && count < waiting.length)
        violate(name, `it names ${count} removals that wait, and ${waiting.join(", ")} wait`);
    },
  };
}
