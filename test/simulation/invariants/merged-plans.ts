import { declaredAt, headOf } from "../fleet-files.ts";
import { readPlan } from "../forge/read-plan.ts";
import type { ReadPlan } from "../forge/read-plan.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";
import { hasBegunToMove } from "./renames.ts";

const leaveKey = "rollcall.dev/leave";

interface Merge {
  readonly number: number;
  readonly commit: string;
  readonly plan: ReadPlan;
  /** The clusters that the hub had, and whose removal or renaming had not begun. */
  readonly before: ReadonlySet<string>;
  /** Clusters that a person had suspended: what they wait for comes when they are resumed. */
  readonly suspended: ReadonlySet<string>;
  /** All that the hub had. */
  readonly hadBefore: ReadonlySet<string>;
}

/** Without a later push, the hub has at rest what the plan of the merged pull request listed, and no more. */
export function mergesDoWhatPlansSaid({ world, mirror, intent, violate }: Scene): Invariant {
  const name = "a merge changes what its plan showed";
  let merge: Merge | undefined;
  const onHub = (): ReadonlySet<string> => new Set(mirror.below(clusterPrefix).keys());
  const staying = (): ReadonlySet<string> =>
    new Set(
      [...mirror.below(clusterPrefix)]
        .filter(([, { metadata }]) => metadata.annotations?.[leaveKey] === undefined && !hasBegunToMove(metadata))
        .map(([cluster]) => cluster),
    );
  return {
    name,
    onRestore: () => (merge = undefined),
    // A daemon that is shown an older commit applies it: what it then removes again counts by the budget, too.
    onTick: () => {
      if (world.weather.shown === "parent") merge = undefined;
    },
    onRefUpdate: ({ branch, before, after }) => {
      const { forge } = world;
      if (branch !== "main" || forge === undefined) return;
      merge = undefined;
      const pull = forge.merging;
      if (pull === undefined || after === undefined) return;
      const ofPull = forge.state.comments.filter((one) => one.pull === pull.number);
      const plan = ofPull.map(readPlan).find((one) => one !== undefined);
      if (plan === undefined || plan.isVoid || plan.head !== pull.headCommit || plan.base !== before) return;
      // What a person approved in the text is planned only with the next review.
      if (pull.body !== "" && plan.withheld.size + plan.waiting.size > 0) return;
      merge = {
        number: pull.number,
        commit: after,
        plan,
        suspended: new Set(intent.suspended),
        hadBefore: onHub(),
        before: staying(),
      };
    },
    atRest: () => {
      if (merge === undefined || headOf(world) !== merge.commit) return;
      const { number, commit, plan, suspended, before, hadBefore } = merge;
      merge = undefined;
      const now = onHub();
      const declared = declaredAt(world, commit);
      const say = (what: string): void => violate(name, `#${number}, ${commit.slice(0, 8)}: ${what}`);
      const mayBeApproved = (cluster: string): boolean =>
        intent.approvals.length > 0 && (plan.withheld.has(cluster) || plan.waiting.has(cluster));
      for (const cluster of plan.created) {
        // The branch broke the file that it had added: what an earlier commit declared is created only if the merge keeps that.
        if (!now.has(cluster) && declared.get(cluster)?.isBroken !== true) say(`${cluster} was not created`);
      }
      for (const cluster of plan.removed)
        if (now.has(cluster) && !intent.suspended.has(cluster)) say(`${cluster} was not removed`);
      for (const cluster of before) {
        if (now.has(cluster) || plan.removed.has(cluster) || suspended.has(cluster)) continue;
        // A person resumed it between the review and the merge.
        if (plan.leavesOnceResumed.has(cluster)) continue;
        if (mayBeApproved(cluster)) continue;
        say(`${cluster} was removed`);
      }
      for (const cluster of now) {
        if (hadBefore.has(cluster) || plan.created.has(cluster) || intent.deletedByHand.has(cluster)) continue;
        const former = declared.get(cluster)?.previousName ?? "";
        // A rename waits with the removals.
        if (!suspended.has(former) && !mayBeApproved(former)) say(`${cluster} was created`);
      }
      for (const cluster of plan.changed) {
        const { edition, isBroken } = declared.get(cluster) ?? {};
        const label = mirror.get(`${clusterPrefix}${cluster}`)?.metadata.labels?.["edition"];
        if (isBroken === false && label !== edition && !intent.suspended.has(cluster))
          say(`${cluster} was not changed`);
      }
    },
  };
}
