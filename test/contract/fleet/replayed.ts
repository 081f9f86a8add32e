import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { clusterNamespaceName, credentialSecretName } from "../../../src/model/dialects/fleet.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubCall } from "../../support/call-hub.ts";
import { FleetAgentClient } from "../../support/fleet-agent-client.ts";
import { placeBundle } from "../../support/fleet-bundle.ts";
import type { PlacedBundle } from "../../support/fleet-bundle.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { FleetHubSession } from "./fleet-hub-session.ts";

const { cluster, fleetCluster } = resourceTypes;

interface RecordedCall {
  /** The line of versions that makes it. Default: both. */
  readonly of?: string;
  readonly as: "door" | "agent";
  readonly method: string;
  readonly path: string;
  readonly accept: string;
  readonly type?: string;
  readonly body?: unknown;
  readonly status: number;
  readonly answerType: string;
}

/**
 * What Fleet's agents (main, 3b2c622c, and 0.15.6) sent to a kube-apiserver that Rollcall served, with how it was answered: a
 * join, a heartbeat, a ConfigMap that is deployed, a restart, a heartbeat. Names, times and digests are replaced by what is in
 * braces. But for how they ask, the two make the same calls.
 */
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "recorded-calls.json"), "utf8"),
) as readonly RecordedCall[];

/** The calls of the real agents, one after the other, as they were. */
export function describeReplay(opened: () => FleetHubSession): void {
  describe("the recorded calls of Fleet's agent", () => {
    it.each(["0.16", "0.15"])("of %s are answered as they were when they were recorded", async (version) => {
      const session = opened();
      const { workspace } = session;
      const clusterName = `replay-${version.replace(".", "-")}`;
      const token = `${clusterName}-door`;
      const [clientID, clientRandom] = [`id-of-${clusterName}`, `${version}${"r".repeat(50)}`];
      await session.declareToken(token, { clusterNames: [clusterName] });
      await session.declareCluster(clusterName, { protocol: "fleet", clientID });
      const bootstrap = await session.bootstrapOf(token);
      const agent = new FleetAgentClient(bootstrap, { clientID });
      const home = clusterNamespaceName(workspace, clusterName);
      const answer = credentialSecretName(clientID, clientRandom);
      const [bundle, now] = ["app", `${new Date().toISOString().slice(0, 19)}Z`];
      const names: Record<string, string> = { workspace, token, clusterName, clientID, clientRandom, home, answer };
      Object.assign(names, { bundle, now, place: "cattle-fleet-system" });
      const fill = (text: string): string =>
        text.replace(/\{([a-zA-Z]+)\}/gu, (all, name: string) => names[name] ?? all);
      let credential = "";
      let placed: PlacedBundle | undefined;

      const send = ({ as, method, path, accept, type, body }: RecordedCall): Promise<HubCall> =>
        agent.call(method, fill(path), {
          token: as === "door" ? bootstrap.token : credential,
          accept,
          ...(type === undefined ? {} : { type }),
          ...(body === undefined ? {} : { body: JSON.parse(fill(JSON.stringify(body))) as unknown }),
          // A streamed list is complete at this bookmark.
          ...(path.includes("watch=true") ? { stopAt: "k8s.io/initial-events-end" } : {}),
        });
      const answered = () =>
        session.eventually("the agent is answered", async () => {
          const path = `/api/v1/namespaces/cattle-fleet-clusters-system/secrets/${answer}`;
          const found = textAt((await agent.call("GET", path, { token: bootstrap.token })).body, "data", "token");
          return found === undefined ? undefined : Buffer.from(found, "base64").toString("utf8");
        });

      for (const call of recorded.filter(({ of = version }) => of === version)) {
        if (call.path.includes("{answer}")) credential = await answered();
        if (call.path.includes("{content}")) {
          const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "delivered" } };
          placed = await placeBundle(session.api, { name: bundle, home, into: "default", objects: [object] });
          Object.assign(names, { deploymentID: placed.deploymentID, content: placed.deploymentID.split(":")[0] });
        }
        const { call: made, status, type } = await send(call);
        expect([made, status, type]).toEqual([fill(`${call.method} ${call.path}`), call.status, call.answerType]);
      }
      await session.eventually("its cluster is Ready, with what it deployed", async () => {
        const shown = textAt(await session.get(fleetCluster, clusterName), "status", "display", "readyBundles");
        return shown === "1/1" && conditionOf(await session.get(cluster, clusterName), "Ready") === "True";
      });
      await placed?.removeContent();
    });
  });
}
