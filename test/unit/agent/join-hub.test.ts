import { describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import { createAgentSecrets } from "../../../src/agent/agent-secrets.ts";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { joinHub } from "../../../src/agent/join-hub.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { AgentValues } from "../../../src/join/rollcall/agent-values.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { simulatedCluster } from "../../support/simulated-cluster.ts";

const namespace = "rollcall-agent";
const valuesOf = (token: string): AgentValues => ({
  hub: { url: "https://hub.example.com", caBundle: "ca", id: `sha256:${"1".repeat(64)}` },
  workspace: "east",
  token: { name: token, credential: `credential-of-${token}`, proofKey: Buffer.alloc(32).toString("base64") },
});

describe("joinHub", () => {
  it.each(["Waiting", "Refused"])(
    "asks by the values that it is given while its registration is %s",
    async (decision) => {
      const clock = createManualClock();
      const stopping = new AbortController();
      const values = JSON.stringify(valuesOf("old"));
      const downstreamApi = simulatedCluster({ uid: "edge", agentNamespace: namespace, values });
      const secrets = createAgentSecrets(downstreamApi, namespace);
      await secrets.readIdentity(stopping.signal);
      const askedBy: string[] = [];
      const link = {
        bootstrap: (_: unknown, token: string) => ({
          api: {
            create: () => Promise.resolve(askedBy.push(token)),
            get: () =>
              Promise.resolve({ metadata: { name: "r" }, status: { decision, reason: "ByPolicy", message: "" } }),
          },
          close: () => Promise.resolve(),
        }),
        noteFailure: () => Promise.resolve(),
      };
      const parts = { clock, random: fixedRandom(0.5), log: silentLog, settings: { version: "0.2.0", namespace } };
      const context = { ...parts, downstreamApi, secrets, link, state: createAgentState() } as unknown as AgentContext;
      const joining = joinHub(context, stopping.signal).catch(() => undefined);
      await clock.advance(30 * 60_000);
      expect(askedBy).toEqual(["credential-of-old"]);
      const data = { values: Buffer.from(JSON.stringify(valuesOf("new"))).toString("base64") };
      const ref = { type: resourceTypes.secret, namespace, name: "rollcall-agent-values" };
      await downstreamApi.mergePatch(ref, { data }, { fieldManager: "test" });
      await clock.advance(30 * 60_000);
      expect(askedBy).toEqual(["credential-of-old", "credential-of-new"]);
      stopping.abort();
      await joining;
    },
  );
});
