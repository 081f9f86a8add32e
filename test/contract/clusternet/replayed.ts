import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { HubCall } from "../../support/call-hub.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ClusternetHubSession } from "./clusternet-hub-session.ts";

interface RecordedCall {
  readonly as: "door" | "agent";
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
}

/**
 * What Clusternet's agent (main, 19245baa) sent to a kube-apiserver that Rollcall served, from its audit log: a join, a heartbeat,
 * the labels of a node that come and go, a restart. Names are replaced by what is in braces; the audit log leaves out the
 * nulls that the agent sends, which are reverted.
 */
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "recorded-calls.json"), "utf8"),
) as readonly RecordedCall[];

/** The calls of the real agent, one after the other, as they were. */
export function describeReplay(given: () => ClusternetHubSession): void {
  describe("the recorded calls of Clusternet's agent", () => {
    it("are answered as they were when they were recorded", async () => {
      const session = given();
      await session.declareToken("replay", { clusterNames: ["replay-1"] });
      const clusterId = randomUUID();
      const agent = await session.agentOf("replay", "replay-1", { clusterId });
      const names: Record<string, string> = {
        clusterId,
        clusterName: "replay-1",
        token: "replay",
        workspace: session.workspace,
        home: session.homeOf("replay-1"),
        zone: "a",
        resourceVersion: "",
        uid: "",
      };
      const fill = (text: string): string =>
        text.replace(/\{([a-zA-Z]+)\}/gu, (_all, name: string) => names[name] ?? "");
      const send = ({ as, method, path, body }: RecordedCall): Promise<HubCall> =>
        agent.call(method, fill(path), {
          token: as === "door" ? agent.doorToken : (agent.answer?.token ?? ""),
          ...(body === undefined ? {} : { body: JSON.parse(fill(JSON.stringify(body))) as unknown }),
          ...(method === "PATCH" ? { type: "application/merge-patch+json" } : {}),
        });
      for (const call of recorded) {
        const isFirstLook = call.as === "door" && call.method === "GET";
        if (isFirstLook) await session.eventually("it is approved", () => agent.look());
        const answered = await send(call);
        expect(answered.status, `${call.as}: ${answered.call}`).toBe(call.status);
        const seen = objectsAt(answered.body, "items")[0] ?? answered.body;
        if (call.path.includes("managedclusters")) {
          names["resourceVersion"] = textAt(seen, "metadata", "resourceVersion") ?? "";
          names["uid"] = textAt(seen, "metadata", "uid") ?? "";
        }
      }
      await session.eventually(
        "its cluster is ready",
        async () => conditionOf(await session.get(resourceTypes.cluster, "replay-1"), "Ready") === "True",
      );
    });
  });
}
