import { resourceTypes } from "../../src/model/resource-types.ts";
import { giveKubeconfig, hasKubeconfig, kubeconfigSecretName } from "./by-kubeconfig.ts";
import { workspace } from "./daemon-process.ts";
import type { Deed } from "./deeds.ts";
import { pickOf } from "./do-deed.ts";
import type { Stage } from "./do-deed.ts";
import { last, noteAgentFault } from "./lasting.ts";

/** What happens to clusters that the hub reaches by a kubeconfig. */
export function doToReached(
  stage: Stage,
  kind: "kubeconfig is lost" | "cluster is rebuilt",
  { pick, forMs }: Pick<Deed, "pick" | "forMs">,
): void {
  const { world, intent } = stage;
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
