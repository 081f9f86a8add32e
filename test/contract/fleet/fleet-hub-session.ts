import { parse } from "yaml";
import { installFleet } from "../../../src/install/install-fleet.ts";
import { textAt, textMapAt } from "../../../src/core/read-json.ts";
import { fleetProtocol } from "../../../src/join/fleet/hub/fleet-protocol.ts";
import type { ClusterRegistrationToken } from "../../../src/model/generated/cluster-registration-token.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { FleetBootstrap } from "../../support/fleet-agent-client.ts";
import { readFleetValues } from "../../support/fleet-agent-client.ts";
import type { ForeignHubSession } from "../../support/foreign-hub-session.ts";
import { openForeignHubSession } from "../../support/foreign-hub-session.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { declareObject } from "../../support/declare-object.ts";

/** A hub that serves Fleet's agents in one workspace. */
export interface FleetHubSession extends ForeignHubSession {
  declareToken(name: string, spec?: ClusterRegistrationToken["spec"]): Promise<void>;
  /** What an agent is installed with, as soon as the token's Secret is there. */
  bootstrapOf(tokenName: string): Promise<FleetBootstrap>;
  /** The labels among its values, which the agent's chart makes the agent propose. */
  labelsOf(tokenName: string): Promise<Record<string, string>>;
}

export async function openFleetHubSession(hub: HubUnderTest): Promise<FleetHubSession> {
  const session = await openForeignHubSession(hub, { protocol: fleetProtocol, installOnHub: installFleet });
  const valuesOf = (tokenName: string): Promise<string> =>
    session.eventually(`the values of ${tokenName}`, async () => {
      const values = textAt(await session.get(resourceTypes.secret, tokenName), "data", "values");
      return values === undefined ? undefined : Buffer.from(values, "base64").toString("utf8");
    });
  return {
    ...session,
    declareToken: async (name, spec = {}) => {
      const token = {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "ClusterRegistrationToken",
        metadata: { name, namespace: session.workspace },
        spec: { protocol: "fleet", ...spec },
      };
      await declareObject(session.api, token);
    },
    bootstrapOf: async (tokenName) => readFleetValues(await valuesOf(tokenName)),
    labelsOf: async (tokenName) => textMapAt(parse(await valuesOf(tokenName)), "labels"),
  };
}
