import { randomUUID } from "node:crypto";
import { parse } from "yaml";
import { installClusternet } from "../../../src/install/install-clusternet.ts";
import { textAt, textMapAt } from "../../../src/core/read-json.ts";
import { clusternetProtocol } from "../../../src/join/clusternet/hub/clusternet-protocol.ts";
import type { JoinProtocol } from "../../../src/join/join.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { dedicatedNamespaceName } from "../../../src/model/dialects/clusternet.ts";
import type { ClusterRegistrationToken } from "../../../src/model/generated/cluster-registration-token.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { ClusternetAgentClient } from "../../support/clusternet-agent-client.ts";
import { openForeignHubSession } from "../../support/foreign-hub-session.ts";
import type { ForeignHubSession } from "../../support/foreign-hub-session.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { declareObject } from "../../support/declare-object.ts";

/** A hub that serves Clusternet's agents in one workspace. */
export interface ClusternetHubSession extends ForeignHubSession {
  declareToken(name: string, spec: ClusterRegistrationToken["spec"]): Promise<void>;
  /** An agent that was given what the token's Secret has for this cluster, and an id of its own unless one is given. */
  agentOf(token: string, clusterName: string, more?: AgentMore): Promise<ClusternetAgentClient>;
  /** Sends a request and polls until it is admitted. */
  join(agent: ClusternetAgentClient): Promise<void>;
  homeOf(clusterName: string): string;
}

export interface AgentMore {
  readonly clusterId?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly syncMode?: string;
}

export async function openClusternetHubSession(
  hub: HubUnderTest,
  protocol: JoinProtocol = clusternetProtocol,
): Promise<ClusternetHubSession> {
  const session = await openForeignHubSession(hub, { protocol, installOnHub: installClusternet });
  const ca = (await readKubeconfig(session.kubeconfig).getTls()).caPem ?? "";
  return {
    ...session,
    declareToken: async (name, spec) => {
      const metadata = { name, namespace: session.workspace };
      const token = { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterRegistrationToken", metadata };
      await declareObject(session.api, { ...token, spec: { protocol: "clusternet", ...spec } });
    },
    agentOf: async (token, clusterName, { clusterId = randomUUID(), labels = {}, syncMode = "Pull" } = {}) => {
      const text = await session.eventually(`the values of ${token}`, async () => {
        const encoded = textAt(await session.get(resourceTypes.secret, token), "data", clusterName);
        return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
      });
      const values: unknown = parse(text);
      const said = textMapAt(values, "extraArgs")["cluster-labels"] ?? "";
      const flags = Object.fromEntries(said.split(",").map((pair) => pair.split("=") as [string, string]));
      return new ClusternetAgentClient({
        server: textAt(values, "parentURL") ?? "",
        ca,
        token: textAt(values, "registrationToken") ?? "",
        clusterId,
        clusterName: textMapAt(values, "extraArgs")["cluster-reg-name"] ?? "",
        labels: { ...flags, ...labels },
        syncMode,
      });
    },
    join: async (agent) => {
      const asked = await agent.ask();
      if (asked.status !== 201 && asked.status !== 409) throw new Error(`refused: ${JSON.stringify(asked.body)}`);
      await session.eventually(`${agent.requestName} is approved`, () => agent.look());
    },
    homeOf: (clusterName) => dedicatedNamespaceName(session.workspace, clusterName),
  };
}
