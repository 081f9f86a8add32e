import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { foreignFactsOf } from "../foreign/foreign-facts.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** An agent that is to be notified that it leaves, and that works, has reported it before its cluster is removed. */
export function agentsAreToldToLeave({ world, intent, violate }: Scene): Invariant {
  const name = "an agent that is asked to leave has left before its cluster is removed";
  /** What the agent of each cluster reported last of itself, and when. */
  const said = new Map<string, { readonly joined: string | undefined; readonly atMs: number }>();
  return {
    name,
    onRow: ({ key, before, after }) => {
      const { elapsedMs } = world.scheduler;
      const cluster = key.split("/").at(-1) ?? "";
      const facts = foreignFactsOf(cluster);
      if (facts === undefined || facts.offboardingWaitMs === 0) return;
      if (key === facts.beatKeyOf(cluster)) {
        if (after === undefined || facts.beatIn(after) === facts.beatIn(before)) return;
        said.set(cluster, { joined: joinedIn(after), atMs: elapsedMs });
        return;
      }
      if (!key.startsWith(clusterPrefix) || before === undefined || after !== undefined) return;
      const last = said.get(cluster);
      said.delete(cluster);
      const isRevoked = before.metadata.annotations?.["rollcall.dev/revoked"] !== undefined;
      if (last === undefined || isRevoked || intent.deletedByHand.has(cluster)) return;
      if (last.joined !== "False" && elapsedMs - last.atMs < facts.offboardingWaitMs)
        violate(name, `${cluster} is removed, and its agent did not say that it has left`);
    },
  };
}

function joinedIn(object: KubeObject): string | undefined {
  const conditions = objectsAt(object, "status", "agentStatus").flatMap((agent) => objectsAt(agent, "conditions"));
  return textAt(
    conditions.find(({ type }) => type === "Joined"),
    "status",
  );
}
