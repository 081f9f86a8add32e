import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectsAt } from "../../../src/core/read-json.ts";
import { createdClusterName, credentialSecretName } from "../../../src/model/dialects/fleet.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { FleetAgentClient } from "../../support/fleet-agent-client.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { openFleetHubSession } from "./fleet-hub-session.ts";
import type { FleetHubSession } from "./fleet-hub-session.ts";

const { cluster, secret } = resourceTypes;

/** The name of an answer is a digest of two texts without a separator. */
export function describeSharedAnswer(hubName: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`two requests to Fleet's hub whose answers have one name, on ${hubName}`, () => {
    let session: FleetHubSession;
    beforeAll(async () => {
      session = await openFleetHubSession(await startHub());
    });
    afterAll(() => session.close());

    it("A250 leave the hub at rest: the second cluster does not get the answer of the first", async () => {
      await session.declareToken("door");
      const bootstrap = await session.bootstrapOf("door");
      const random = "defghijklmnopqrstuvwxyz";
      const requests = { ab: `c${random}`, abc: random };
      for (const [clientID, clientRandom] of Object.entries(requests))
        expect((await new FleetAgentClient(bootstrap, { clientID }).ask({ clientRandom })).status).toBe(201);
      const refused = await session.eventually("one of them is refused", async () => {
        const names = Object.keys(requests).map(createdClusterName);
        const clusters = await Promise.all(names.map((name) => session.get(cluster, name)));
        return clusters.find((one) =>
          objectsAt(one, "status", "conditions").some(({ reason }) => reason === "WriteRefused"),
        );
      });
      const answer = await session.get(secret, credentialSecretName("abc", random), "cattle-fleet-clusters-system");
      expect(answer?.metadata.labels?.[labelKeys.cluster]).not.toBe(refused.metadata.name);
    });
  });
}
