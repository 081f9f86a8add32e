import { tokenAccountName } from "../../src/model/dialects/rollcall.ts";
import { attackBy, attackByToken } from "./attackers.ts";
import type { Deed } from "./deeds.ts";
import { pickOf } from "./do-deed.ts";
import type { Stage } from "./do-deed.ts";
import { doHubFault } from "./hub-faults.ts";
import { foreignOf } from "./foreign/foreign-names.ts";
import { tokenName } from "./fleet-files.ts";
import { nameOnHub } from "./name-on-hub.ts";
import { bringBack, isAgent, last, noteAgentFault, noteDisturbance, restartAfterMs } from "./lasting.ts";
import { noFaults } from "./network-faults.ts";
import { noDrift } from "./scheduler.ts";
import { renderTime } from "./story.ts";
import { subjectOf } from "./subject-of.ts";
import type { Member } from "./member-clusters.ts";

const shownHeads = {
  "remote is empty": "nothing",
  "remote is behind": "parent",
  "remote is another repository": "other",
} as const;

/** Failures that no person causes. */
export function doFault(stage: Stage, { kind, pick, forMs }: Omit<Deed, "atMs">): void {
  const { world, intent } = stage;
  const { scheduler, story, weather, cutOff, hub } = world;
  const replica = pickOf(world.replicas, pick);
  const installed = [...world.members.values()].filter(({ isInstalled }) => isInstalled);
  const member = pickOf(installed.toSorted(byName), pick);
  const tell = (what: string): void => story.tell("fault", what);
  const span = `for ${Math.round(forMs / 1000)} s`;
  switch (kind) {
    case "bad network": {
      const rate = 5 + Math.floor(pick * 60);
      weather.rates = { lostRequest: rate, lostAnswer: rate, delayed: rate, doubled: rate, refused: rate };
      tell(`of 1000 requests ${rate * 5} meet a fault ${span}`);
      return void last(stage, forMs, () => (weather.rates = noFaults));
    }
    case "remote away":
      weather.isRemoteDown = true;
      tell(`git cannot be reached ${span}`);
      return void last(stage, forMs, () => (weather.isRemoteDown = false));
    case "lost pushes":
      weather.lostPushes = 500;
      tell(`half of git's answers are lost ${span}`);
      return void last(stage, forMs, () => (weather.lostPushes = 0));
    case "cut off daemon":
    case "cut off agent": {
      const node = kind === "cut off daemon" ? replica : member?.agent;
      if (node === undefined) return;
      cutOff.add(node);
      tell(`nothing passes between ${node.name} and the hub ${span}`);
      const end = last(stage, forMs, () => cutOff.delete(node));
      if (isAgent(node)) stage.agentFaults.add(end);
      return;
    }
    case "crash daemon":
      if (replica?.isAlive !== true) return;
      tell(`kill -9 ${replica.name}`);
      return bringBack(stage, replica, restartAfterMs, () => world.startReplica(replica));
    case "crash hub":
      if (!hub.node.isAlive || hub.serve === undefined) return;
      tell("kill -9 hub");
      return bringBack(stage, hub.node, Math.min(forMs, 60_000), () => world.startHub());
    case "crash agent":
    case "agent stays away": {
      if (member?.agent.isAlive !== true) return;
      const awayMs = kind === "crash agent" ? restartAfterMs : 5 * 60_000 + forMs;
      tell(`kill -9 ${member.agent.name}; it is back after ${Math.round(awayMs / 1000)} s`);
      return bringBack(stage, member.agent, awayMs, () => world.startAgent(member));
    }
    case "daemon stands still":
    case "agent stands still": {
      const node = kind === "daemon stands still" ? replica : member?.agent;
      if (node?.isAlive !== true) return;
      node.resumesAtMs = scheduler.elapsedMs + forMs;
      tell(`${node.name} stands still until ${renderTime(node.resumesAtMs)}`);
      const resume = last(stage, forMs, () => scheduler.resume(node));
      stage.standstills.add(resume);
      if (isAgent(node)) stage.agentFaults.add(resume);
      return;
    }
    case "clock steps": {
      const node = pickOf([...world.replicas, hub.node], pick);
      if (node === undefined) return;
      node.wallOffsetMs += Math.round((forMs % 2000) - 1000) * 60;
      tell(`the clock of ${node.name} is ${Math.round(node.wallOffsetMs / 1000)} s ahead`);
      return void last(stage, forMs, () => (node.wallOffsetMs = 0));
    }
    case "watches end":
      noteDisturbance(stage);
      return tell(`${world.network.cutWatches(hub)} watches of the hub break off`);
    case "disk of the hub is full":
      weather.isDiskFull = true;
      tell(`the disk of the hub is full ${span}`);
      return void last(stage, forMs, () => (weather.isDiskFull = false));
    case "clock drifts": {
      const node = pickOf([...world.replicas, hub.node], pick);
      if (node === undefined) return;
      node.drift = { rate: (pick - 0.5) / 50, sinceMs: scheduler.elapsedMs };
      tell(`the clock of ${node.name} drifts by ${(node.drift.rate * 100).toFixed(1)} % ${span}`);
      return void last(stage, forMs, () => (node.drift = noDrift));
    }
    case "remote is empty":
    case "remote is behind":
    case "remote is another repository":
      weather.shown = shownHeads[kind];
      tell(`${kind} ${span}`);
      return void last(stage, forMs, () => (weather.shown = "head"));
    case "late writes": {
      if (replica === undefined) return;
      weather.lateWrites.set(replica, 40_000);
      tell(`writes of ${replica.name} arrive up to 40 s late ${span}`);
      return void last(stage, forMs, () => weather.lateWrites.delete(replica));
    }
    case "credential is void": {
      const credential = member && world.lastCredentialOf(member.agent);
      // That of the token is not the agent's own: others have to join by it. That of an installation lasts for an hour, and then
      // the hub makes the next one: longer than a fleet may take to converge here.
      const account = subjectOf(credential)?.split(":").at(-1) ?? "";
      const isToJoin = account === tokenAccountName(tokenName) || account.endsWith(".bootstrap");
      if (credential === undefined || isToJoin) return;
      weather.voidCredentials.add(credential);
      // An agent of another project has no way to another one.
      if (member !== undefined && foreignOf(member.name) !== undefined) {
        tell(`the hub does not accept what ${member.agent.name} used last ${span}`);
        return void stage.agentFaults.add(last(stage, forMs, () => weather.voidCredentials.delete(credential)));
      }
      noteAgentFault(stage);
      return tell(`the hub never again accepts what ${member?.agent.name} used last`);
    }
    case "credential is stolen": {
      const victim = pickOf(installed.filter((one) => one !== member).toSorted(byName), 1 - pick);
      if (member === undefined || victim === undefined) return;
      tell(`one with the credential of ${member.agent.name} tries to reach ${victim.name}`);
      return world.act("attack", () => attackBy(world, member, nameOnHub(world, victim)));
    }
    case "token is leaked": {
      // By a token that names it anyone may be the first agent of a cluster.
      if (member === undefined || intent.lockedOut.has(member.name)) return;
      const name = nameOnHub(world, member);
      tell(`one with the values of a token asks to join as ${name}`);
      return world.act("attack", () => attackByToken(stage, name));
    }
    case "credential ends early": {
      if (member === undefined) return;
      weather.refusedTokens.add(member.agent);
      tell(`the hub refuses the tokens of ${member.agent.name} ${span}`);
      return void stage.agentFaults.add(last(stage, forMs, () => weather.refusedTokens.delete(member.agent)));
    }
    default:
      return doHubFault(stage, { kind, pick, forMs }, { replica, member });
  }
}

function byName(left: Member, right: Member): number {
  return left.name < right.name ? -1 : 1;
}
