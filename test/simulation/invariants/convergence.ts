import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { statusBranch } from "../daemon-process.ts";
import { firstNameOf } from "../first-name.ts";
import { declaredAt, headOf, personName } from "../fleet-files.ts";
import { foreignFactsOf } from "../foreign/foreign-facts.ts";
import { clusterPrefix, repositoryKey } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";
import { mayWork } from "./may-work.ts";
import { hasBegunToMove, renamesThatWait } from "./renames.ts";

/** After ten fault-free minutes the hub is what the head of main declares, and every cluster that can is Ready. */
export function fleetConverges({ world, mirror, intent, violate }: Scene): Invariant {
  const name = "in ten fault-free minutes the fleet converges";
  return {
    name,
    // The agent of a removed cluster has no credential, also when a revert declares the cluster again.
    onRow: ({ key, before, after }) => {
      const isLeaving = before?.metadata.annotations?.["rollcall.dev/leave"] !== undefined;
      if (after !== undefined || !isLeaving || !key.startsWith(clusterPrefix)) return;
      intent.lockedOut.add(firstNameOf(key.slice(clusterPrefix.length)));
    },
    atRest: () => {
      const head = headOf(world);
      const status = mirror.get(repositoryKey)?.["status"];
      if (textAt({ status }, "status", "observedCommit") !== head)
        violate(name, `the Repository has not seen the head ${head?.slice(0, 8)}`);
      // The last commit that was applied whole stays `appliedCommit`, also when it comes again and has to wait.
      const applied = objectsAt({ status }, "status", "conditions").find(({ type }) => type === "Applied");
      const isApplied = applied?.["status"] === "True";
      const declared = declaredAt(world, head);
      const live = mirror.below(clusterPrefix);
      const renames = renamesThatWait({ world, mirror }, head);
      const waiting = new Set(renames.map(({ cluster }) => cluster));
      const former = new Set(renames.map((rename) => rename.former));
      for (const [cluster, { edition, isBroken, blobId }] of declared) {
        const object = live.get(cluster);
        if (object === undefined) {
          if (!isBroken && !waiting.has(cluster)) violate(name, `${cluster} is declared and not on the hub`);
          continue;
        }
        const isFollowed = !isBroken && !intent.suspended.has(cluster);
        const label = object.metadata.labels?.["edition"];
        const [revokedFile] = object.metadata.annotations?.["rollcall.dev/revoked"]?.split("/") ?? [];
        if (isFollowed && revokedFile !== undefined && revokedFile !== blobId)
          violate(name, `${cluster} is revoked, and its file has changed since`);
        if (isFollowed && label !== edition)
          violate(name, `${cluster} has edition ${label ?? "none"} where its file says ${edition}`);
        if (isFollowed && mayWork({ world, mirror, intent }, cluster) && !isReady(object))
          violate(name, `${cluster} is not Ready: ${conditionText(object)}`);
      }
      const leaving = [...live].filter(
        ([, { metadata }]) => metadata.annotations?.["rollcall.dev/leave"] !== undefined,
      );
      for (const [cluster] of leaving.filter(([one]) => !intent.suspended.has(one) && !isWaitedFor(one)))
        violate(name, `the removal of ${cluster} has begun and does not end`);
      const told = lastOfDaemon()?.message;
      if (head !== undefined && told?.includes(head) !== true)
        violate(name, `the status branch does not know the head ${head.slice(0, 8)}: ${told ?? "there is none"}`);
      const left = [...live]
        .filter(
          ([cluster, { metadata }]) =>
            ![declared, former, intent.suspended].some((names) => names.has(cluster)) && !hasBegunToMove(metadata),
        )
        .map(([cluster]) => cluster);
      if (isApplied && left.length > 0)
        violate(name, `${left.join(", ")}: on the hub, not declared, and the head counts as applied`);
    },
  };
  /** Its agent is to leave, and has no credential to report that it has. */
  function isWaitedFor(cluster: string): boolean {
    const waitMs = foreignFactsOf(cluster)?.offboardingWaitMs ?? 0;
    return waitMs > 0 && intent.lockedOut.has(firstNameOf(cluster));
  }
  /** What a person committed on top of it does not count. */
  function lastOfDaemon() {
    const { commits } = world.remote.objects;
    let commit = commits.get(world.remote.refs.get(statusBranch) ?? "")?.commit;
    while (commit?.author.name === personName) commit = commits.get(commit.parents[0] ?? "")?.commit;
    return commit;
  }
}

function readyOf(cluster: KubeObject) {
  return objectsAt(cluster, "status", "conditions").find((condition) => condition["type"] === "Ready");
}

function isReady(cluster: KubeObject): boolean {
  return readyOf(cluster)?.["status"] === "True";
}

function conditionText(cluster: KubeObject): string {
  const ready = readyOf(cluster);
  return `${textAt(ready, "reason") ?? "no condition"} (${textAt(ready, "message") ?? ""})`;
}
