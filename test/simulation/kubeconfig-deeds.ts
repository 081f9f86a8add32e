import { resourceTypes } from "../../src/model/resource-types.ts";
import { giveKubeconfig, hasKubeconfig, kubeconfigSecretName } from "./by-kubeconfig.ts";
import { workspace } from "./daemon-process.ts";
import type { Deed, DeedKind } from "./deeds.ts";
import { reachedKinds } from "./deeds.ts";
import { pickOf } from "./do-deed.ts";
import type { Stage } from "./do-deed.ts";
import { bringBack, last, noteAgentFault, noteDisturbance } from "./lasting.ts";

type ReachedKind = (typeof reachedKinds)[number];

export function isOfReached(kind: DeedKind): kind is ReachedKind {
  return reachedKinds.some((one) => one === kind);
}

/** For a daemon that is back to see what was removed meanwhile. */
const agentLaterMs = 30_000;

/** What happens to clusters that the hub reaches by a kubeconfig. */
export function doToReached(stage: Stage, kind: ReachedKind, { pick, forMs }: Pick<Deed, "pick" | "forMs">): void {
  const { world, intent } = stage;
  if (kind === "daemon ends in an installation") return endDaemonsAtInstall(stage, forMs);
  const reached = [...world.members.values()].filter(({ name, server }) => hasKubeconfig(name) && server.serve);
  const member = pickOf(
    reached.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    pick,
  );
  if (member === undefined) return;
  const { name, server } = member;
  if (kind === "cluster is rebuilt") {
    world.story.tell("people", `build the cluster ${name} anew`);
    const { elapsedMs, sleptMs } = world.scheduler;
    intent.rebuilt.add(name);
    intent.lostAgents.set(name, { atMs: elapsedMs, sleptMs });
    intent.nodes.delete(name);
    noteAgentFault(stage);
    return world.rebuildMember(member);
  }
  const ref = { type: resourceTypes.secret, namespace: workspace, name: kubeconfigSecretName(name) };
  world.story.tell("people", `delete the kubeconfig of ${name} for ${Math.round(forMs / 1000)} s`);
  world.act(`delete the kubeconfig of ${name}`, () => world.personApi.delete(ref).then(() => undefined));
  const giveBack = (): void =>
    world.act(`give the kubeconfig of ${name} back`, () => giveKubeconfig(world.personApi, name, server));
  stage.agentFaults.add(last(stage, forMs, giveBack));
}

/** The next installation puts the agent's Deployment into a cluster, and no daemon lives to receive the answer. The agent does not reach the hub. */
function endDaemonsAtInstall(stage: Stage, forMs: number): void {
  const { world } = stage;
  world.weather.onInstall = (agent) => {
    noteDisturbance(stage);
    world.cutOff.add(agent);
    stage.agentFaults.add(last(stage, forMs + agentLaterMs, () => world.cutOff.delete(agent)));
    for (const replica of world.replicas) {
      if (!replica.isAlive) continue;
      world.story.tell(
        "fault",
        `kill -9 ${replica.name}, which installs an agent; it is back after ${Math.round(forMs / 1000)} s`,
      );
      bringBack(stage, replica, forMs, () => world.startReplica(replica));
    }
  };
}
