import type { FakePull } from "../../support/forge/forge-state.ts";
import { clusterPaths, declaredAt, headOf, nameOf } from "../fleet-files.ts";
import { changesOf, hasConflicts } from "../forge/branches.ts";
import { readPlan } from "../forge/read-plan.ts";
import type { SimulatedForge } from "../forge/simulated-forge.ts";
import { daemonUserId, followBranches, ownRepositoryId } from "../forge/simulated-forge.ts";
import { planContext, statusOf } from "./forge-statuses.ts";
import { forgeTokenOnHub } from "./forge-token.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";
import { renamesThatWait } from "./renames.ts";

/** At rest each open pull request has one comment of the daemon, the plan of its head, and statuses that match it. */
export function pullRequestsHavePlans({ world, mirror, intent, violate }: Scene): Invariant {
  const name = "at rest each pull request has one plan, of its head";
  return {
    name,
    atRest: () => {
      const { forge } = world;
      if (forge === undefined || forgeTokenOnHub(mirror) !== forge.token) return;
      followBranches(forge.state, world.remote);
      for (const pull of forge.state.pulls)
        if (pull.isOpen && pull.headRepositoryId === ownRepositoryId) {
          const wrong = wrongOf(forge, pull);
          if (wrong !== undefined) violate(name, `#${pull.number}: ${wrong}`);
        }
    },
  };

  function wrongOf(forge: SimulatedForge, pull: FakePull): string | undefined {
    const { number, headCommit } = pull;
    const comments = forge.state.comments.filter((one) => one.pull === number && one.authorId === daemonUserId);
    const [comment] = comments;
    if (comment === undefined || comments.length > 1) return `${comments.length} comments of the daemon`;
    const plan = readPlan(comment);
    if (plan === undefined) return "the daemon's comment is no plan";
    if (plan.isVoid) return "its plan is void";
    if (plan.head !== headCommit) return `the plan is of ${plan.head.slice(0, 8)}, and not of its head`;
    if (plan.base !== headOf(world)) return `the plan is not on the head of main, but on ${plan.base.slice(0, 8)}`;
    // It cannot be merged: its plan lists what a person would have to make of it.
    if (hasConflicts(world, headCommit))
      return comment.body.includes("Both this branch and the target branch changed")
        ? undefined
        : "it names no conflict";
    const allChanges = changesOf(world, headCommit);
    const changes = [...allChanges].filter(([path]) => path.startsWith("clusters/"));
    const declared = clusterPaths(world, headOf(world));
    // The hub knows them by their former names: an edit of such a file changes nothing there, its removal removes the former.
    const waiting = renamesThatWait({ world, mirror }, headOf(world), intent.formerNames);
    const formerNames = new Map(waiting.map(({ cluster, former }) => [cluster, former]));
    const refused = new Set(waiting.filter(({ isRefused }) => isRefused).map(({ cluster }) => cluster));
    const onHub = (cluster: string): string => formerNames.get(cluster) ?? cluster;
    const isBroken = changes.some(([, content]) => content?.includes("[Cluster") === true);
    // The plan of a file repeats what the hub refuses of it, as long as the file asks for it.
    const isRefused = changes.some(([, content]) => refused.has(nameIn(content) ?? ""));
    const hasErrors = isBroken || isRefused;
    const wanted = hasErrors ? "failure" : plan.withheld.size > 0 ? "pending" : "success";
    const stateOf = (context: string): string => statusOf(forge.state, { commit: headCommit, context });
    if (stateOf(planContext) !== wanted) return `the status of its head is ${stateOf(planContext)}, and not ${wanted}`;
    const validation = stateOf(`${planContext}/validation`);
    if (validation !== (hasErrors ? "failure" : "success")) return `its files are called a ${validation}`;
    const touched = new Set(changes.flatMap(([path]) => [declared.get(path) ?? [], nameOf(path)].flat()));
    for (const name of [...touched]) touched.add(onHub(name));
    // Its agent has not moved yet, for which the hub may have to install it again: the former Cluster is there, too.
    const files = declaredAt(world, headOf(world));
    for (const name of [...touched]) touched.add(files.get(name)?.previousName ?? name);
    // A force-push of main can leave a commit with other rules to the branches that began on it: rules change any cluster.
    const changed = allChanges.has("rules.yaml") ? new Set<string>() : plan.changed;
    const planned = [plan.removed, plan.withheld, plan.created, changed].flatMap((names) => [...names]);
    // An approval in its text also pays for a removal that waits on the head of main. A new file that is broken there may be a
    // renamed one, so that removals wait for it: who mends or removes it releases them.
    const mends = changes.some(([path]) => files.get(declared.get(path) ?? "")?.isBroken === true);
    const released = [
      pull.body !== "" || mends ? plan.removed : new Set<string>(),
      mends ? plan.withheld : new Set<string>(),
    ];
    const isReleased = (cluster: string): boolean =>
      released.some((names) => names.has(cluster)) && !files.has(cluster);
    const strange = planned.find((cluster) => !touched.has(cluster) && !isReleased(cluster));
    if (strange !== undefined) return `the plan names ${strange}, whose file the branch did not change`;
    // The file of a cluster may have moved, on main by a commit that was force-pushed away: nothing is removed then.
    const declaredByBranch = new Set(changes.map(([, content]) => nameIn(content)));
    for (const [path, content] of changes) {
      const cluster = declared.get(path);
      // Of a suspended cluster nothing is changed, and nothing planned.
      if (cluster !== undefined && [cluster, onHub(cluster)].some((one) => intent.suspended.has(one))) continue;
      const isGone = content === null && cluster !== undefined && !declaredByBranch.has(cluster);
      const leaving = isGone ? onHub(cluster) : undefined;
      // It was broken since it came to main: the hub never had it.
      const wasNeverThere = leaving !== undefined && mirror.get(`${clusterPrefix}${leaving}`) === undefined;
      if (wasNeverThere && files.get(cluster ?? "")?.isBroken === true) continue;
      // Of a file that is broken on main the removal may wait there already.
      const leaves = [plan.removed, plan.withheld, plan.waiting];
      if (leaving !== undefined && !leaves.some((names) => names.has(leaving)))
        return `the plan does not say that ${leaving} is removed`;
      if (content === null || content.includes("[Cluster")) continue;
      const [, edition = ""] = /edition: "([^"]*)"/u.exec(content) ?? [];
      const added = cluster === undefined ? nameIn(content) : undefined;
      // The hub has it while its removal waits.
      if (added !== undefined && mirror.get(`${clusterPrefix}${added}`) !== undefined) continue;
      if (added !== undefined && !plan.created.has(added)) return `the plan does not say that ${added} is created`;
      if (cluster !== undefined && formerNames.has(cluster)) continue;
      // The file on main is broken, so the hub has what an earlier one declared: the branch may declare that again.
      if (cluster !== undefined && files.get(cluster)?.isBroken === true) {
        const live = mirror.get(`${clusterPrefix}${cluster}`);
        if (live?.metadata.labels?.["edition"] === edition) continue;
        // It was broken since it came to main.
        if (live === undefined && plan.created.has(cluster)) continue;
      }
      if (cluster !== undefined && !plan.changed.has(cluster)) return `the plan does not say that ${cluster} changes`;
      if (!comment.body.includes(edition)) return `the plan does not name the edition ${edition}`;
    }
    return undefined;
  }
}

/** The cluster that a file declares. */
function nameIn(content: string | null): string | undefined {
  return /name: (\S+)/u.exec(content ?? "")?.[1];
}
