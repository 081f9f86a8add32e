import { onTestFinished } from "vitest";
import { createMemberQueue } from "../../../../src/hub/controllers/member-queue.ts";
import type { JoinProtocol } from "../../../../src/join/join.ts";
import type { AgentRollout } from "../../../../src/model/generated/agent-rollout.ts";
import { labelKeys } from "../../../../src/model/well-known.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { openMemberWorld } from "../members/member-world.ts";

/** The label of clusters that one Repository declares. */
export const ofFleet = { [labelKeys.repository]: "rollcall.fleet" };

/** The queue of a world without members. The methods of each protocol are replaced by those that `replaced` returns. */
export async function openQueue(
  replaced: (protocol: JoinProtocol) => Partial<JoinProtocol> = () => ({}),
  rollout: AgentRollout = { maxUnavailable: 1 },
) {
  const world = await openMemberWorld();
  const clock = createManualClock();
  const protocols = new Map(
    [...world.ports.protocols].map(([name, protocol]) => [name, { ...protocol, ...replaced(protocol) }] as const),
  );
  const rollouts: string[] = [];
  const agentRollout = (label: string): AgentRollout => {
    rollouts.push(label);
    return { ...rollout };
  };
  const ports = { ...world.ports, protocols, agentRollout, clock };
  const queue = createMemberQueue(ports, { random: { next: () => 0.5 } as never, concurrency: 1 });
  onTestFinished(() => queue.stop());
  /** Enqueues these members of the workspace, and waits until no work is left. */
  const reconcile = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) queue.add(`fleet/${name}`);
    await queue.whenIdle();
  };
  const isWritten = (name: string): boolean => world.asked().includes(`status Cluster/${name}`);
  return { ...world, clock, queue, rollouts, reconcile, isWritten };
}

/** The same, and the reason of the hold that each member saw in its last pass. All agents are to change. */
export async function openWaves(rollout?: AgentRollout, changes: Partial<JoinProtocol> = {}) {
  const seen: Record<string, string | undefined> = {};
  const world = await openQueue(
    (protocol) => ({
      desiredObjects: (member, hub) => {
        seen[member.name] = hub.agentHold?.(`fleet/${member.name}`)?.reason;
        return protocol.desiredObjects(member, hub);
      },
      agentProgress: ({ name }) => ({ key: `fleet/${name}`, version: "2", state: "waiting" }),
      ...changes,
    }),
    rollout,
  );
  return { ...world, seen };
}
