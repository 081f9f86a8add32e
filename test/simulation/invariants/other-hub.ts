import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { statusBranch } from "../daemon-process.ts";
import { headOf } from "../fleet-files.ts";
import type { HubMirror } from "../mirror.ts";
import { repositoryKey } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";
import { removalsAreAllowed } from "./removals.ts";

/** For the daemon to begin, and to read the branch. */
const beginsForMs = 4 * 60_000;

/**
 * Two hubs that are given one repository and one status branch: the branch stays with the hub that wrote it first, and the other
 * one reports it. What it writes back is all that it leaves out: it follows main, and removes by the same rules.
 */
export function otherHubKeepsOut(scene: Scene, otherMirror: HubMirror): Invariant {
  const { world, violate } = scene;
  const name = "the status branch belongs to one hub, and the other reports it";
  const removals = removalsAreAllowed({ ...scene, mirror: otherMirror });
  return {
    name,
    onOtherRow: (change) => removals.onRow?.(change),
    onRefUpdate: ({ branch, by }) => {
      if (by === world.otherHub?.daemon.name) violate(name, `${by} moved the branch ${branch}`);
    },
    atRest: () => {
      const { otherHub, scheduler } = world;
      if (otherHub === undefined || scheduler.elapsedMs - otherHub.sinceMs < beginsForMs) return;
      const repository = otherMirror.get(repositoryKey);
      const condition = conditionOf(repository, "WriteBackReady");
      if (textAt(condition, "reason") !== "BranchOfOtherHub")
        violate(name, `the other hub says of ${statusBranch}: ${textAt(condition, "message")}`);
      const [seen, head] = [textAt(repository, "status", "observedCommit"), headOf(world)];
      if (seen !== head) violate(name, `the other hub is at ${seen?.slice(0, 8)}, and main at ${head?.slice(0, 8)}`);
    },
  };
}

function conditionOf(object: KubeObject | undefined, type: string): unknown {
  return objectsAt(object, "status", "conditions").find((condition) => condition["type"] === type);
}
