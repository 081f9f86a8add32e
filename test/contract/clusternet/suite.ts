import { afterAll, afterEach, beforeAll, describe } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { openClusternetHubSession } from "./clusternet-hub-session.ts";
import type { ClusternetHubSession } from "./clusternet-hub-session.ts";
import { describeAgentLife } from "./agent-life.ts";
import { describeInstalledAgent } from "./installed-agent.ts";
import { describeReplay } from "./replayed.ts";
import { describeWalls } from "./walls.ts";
import { describeWaysIn } from "./ways-in.ts";

const { registrationRequest } = resourceTypes;

/** Clusternet's agents and a hub that serves them; the same on every hub. */
export function describeClusternetAgents(hubName: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`Clusternet's agents on ${hubName}`, () => {
    let session: ClusternetHubSession;
    const given = (): ClusternetHubSession => session;
    beforeAll(async () => {
      session = await openClusternetHubSession(await startHub());
      await session.declareToken("door", {
        clusterNames: ["eu-1", "eu-2", "eu-3"],
        clusterLabels: { tier: "edge" },
      });
    });
    afterEach(() => session.shiftHubTime(0));
    afterAll(async () => {
      const { items } = await session.api.list(registrationRequest);
      for (const request of items)
        if (textAt(request, "spec", "clusterLabels", "rollcall.dev/workspace") === session.workspace)
          await session.api.delete({ type: registrationRequest, name: request.metadata.name });
      await session.close();
    });

    describeAgentLife(given);
    describeWalls(given);
    describeWaysIn(given);
    describeInstalledAgent(given);
    describeReplay(given);
  });
}
