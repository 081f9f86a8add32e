import { randomUUID } from "node:crypto";
import { parse } from "yaml";
import { textAt } from "../../../../src/core/read-json.ts";
import { readValuesText } from "../../../../src/join/rollcall/downstream/values.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { ClusternetAgentClient } from "../../../support/clusternet-agent-client.ts";
import { FleetAgentClient, readFleetValues } from "../../../support/fleet-agent-client.ts";
import { KubefleetAgentClient } from "../../../support/kubefleet-agent-client.ts";
import type { Scenario, ScenarioMember } from "../../../support/random-scenario.ts";
import { tokenNames } from "../../../support/random-scenario.ts";
import { until } from "../../../support/until.ts";
import { conditionOf } from "../../agent/fleet-helpers.ts";
import { startSimulatedAgent } from "../../agent/simulated-agent.ts";
import type { DaemonSession } from "../daemon-session.ts";

/** An agent that works for a member. */
interface JoinedAgent {
  /** Does what a real one does by its own clock: it answers what the hub asks. */
  readonly turn: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface JoinedAgents {
  readonly turn: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Agents of all joined members of a scenario; resolves when each of them is healthy. */
export async function joinAgents(
  session: DaemonSession,
  { seed, members }: { readonly seed: number; readonly members: Scenario["members"] },
): Promise<JoinedAgents> {
  const agents: JoinedAgent[] = [];
  const all = { turn: () => turnAll(agents), stop: () => stopAll(agents) };
  try {
    for (const member of members.filter(({ isJoined }) => isJoined)) {
      agents.push(await joiners[member.protocol](session, { seed, member }));
      await until(
        async () => conditionOf(await session.get(resourceTypes.cluster, member.name), "Healthy"),
        (status) => status === "True",
      );
    }
    return all;
  } catch (error) {
    await all.stop();
    throw error;
  }
}

async function turnAll(agents: readonly JoinedAgent[]): Promise<void> {
  await Promise.all(agents.map((agent) => agent.turn()));
}

async function stopAll(agents: readonly JoinedAgent[]): Promise<void> {
  await Promise.all(agents.map((agent) => agent.stop()));
}

type Joiner = (
  session: DaemonSession,
  joining: { readonly seed: number; readonly member: ScenarioMember },
) => Promise<JoinedAgent>;

const idle = { turn: () => Promise.resolve(), stop: () => Promise.resolve() };

const joiners: Readonly<Record<ScenarioMember["protocol"], Joiner>> = {
  rollcall: async (session, { seed, member: { name } }) => {
    const text = await secretText(session, `${tokenNames.rollcall}-${seed}`, "values");
    const found = readValuesText(text);
    if (found.kind !== "values") throw new Error("the token's values are not complete");
    const agent = startSimulatedAgent(found.values, { name, clientID: `${name}-${randomUUID()}` });
    if (!(await agent.result)) throw new Error(`${name} was refused: ${JSON.stringify(agent.lines.slice(-3))}`);
    return { ...idle, stop: () => agent.stop() };
  },
  fleet: async (session, { seed, member: { name } }) => {
    const values = readFleetValues(await secretText(session, `${tokenNames.fleet}-${seed}`, "values"));
    const agent = new FleetAgentClient(values, { clientID: name });
    if (!(await agent.register({ zone: "z1" }))) throw new Error(`${name} was refused`);
    await agent.heartbeat();
    return idle;
  },
  kubefleet: async (session, { member: { name } }) => {
    const token = await secretText(session, `${name}-hub-cluster-access-token`, "token");
    const { url: server, caBundle: ca } = session.endpoint;
    const agent = new KubefleetAgentClient({ server, ca, token, clusterName: name });
    await until(
      () => agent.state(),
      (state) => state === "Join",
    );
    await agent.heartbeat();
    return {
      ...idle,
      turn: async () => {
        if ((await agent.state()) === "Leave") await agent.heartbeat({ joined: "False" });
      },
    };
  },
  clusternet: async (session, { seed, member: { name } }) => {
    const tokenName = `${tokenNames.clusternet}-${seed}`;
    const values: unknown = parse(await secretText(session, tokenName, name));
    const { url: server, caBundle: ca } = session.endpoint;
    const agent = new ClusternetAgentClient({
      server,
      ca,
      token: textAt(values, "registrationToken") ?? "",
      clusterId: randomUUID(),
      clusterName: name,
      labels: { "rollcall.dev/workspace": session.workspace, "rollcall.dev/token": tokenName, zone: "z1" },
    });
    await agent.ask();
    await until(
      () => agent.look(),
      (isIn) => isIn,
    );
    await agent.heartbeat();
    return idle;
  },
};

async function secretText(session: DaemonSession, name: string, key: string): Promise<string> {
  const encoded = await until(
    async () => textAt(await session.get(resourceTypes.secret, name), "data", key),
    (text) => text !== undefined,
  );
  return Buffer.from(encoded ?? "", "base64").toString("utf8");
}
