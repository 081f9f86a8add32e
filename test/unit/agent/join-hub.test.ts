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
  it.each([0, 0.5, 1])(
    "reads at most eleven times in a minute from a hub that does not answer (drawn: %s)",
    async (drawn) => {
      const clock = createManualClock();
      const stopping = new AbortController();
      let lookCount = 0;
      const api = {
        create: () => Promise.resolve(),
        get: () => {
          lookCount += 1;
          return Promise.resolve({ metadata: { name: "r" } });
        },
      };
      const { joining } = await startJoining({ clock, api, drawn, signal: stopping.signal });
      await clock.advance(100);
      expect(lookCount).toBe(1);
      await clock.advance(3900);
      expect(lookCount).toBeGreaterThanOrEqual(4);
      await clock.advance(56_000);
      expect(lookCount).toBeGreaterThanOrEqual(8);
      expect(lookCount).toBeLessThanOrEqual(11);
      stopping.abort();
      await joining;
    },
  );

  it.each(["Waiting", "Refused"])(
    "asks by the values that it is given while its registration is %s",
    async (decision) => {
      const clock = createManualClock();
      const stopping = new AbortController();
      const askedBy: string[] = [];
      const get = () =>
        Promise.resolve({ metadata: { name: "r" }, status: { decision, reason: "ByPolicy", message: "" } });
      const { joining, downstreamApi } = await startJoining({
        clock,
        api: { create: (_, token) => Promise.resolve(askedBy.push(token)), get },
        drawn: 0.5,
        signal: stopping.signal,
      });
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

interface Joining {
  readonly clock: ReturnType<typeof createManualClock>;
  /** What the hub answers; `create` receives the credential that was used. */
  readonly api: {
    readonly create: (object: unknown, token: string) => Promise<unknown>;
    readonly get: () => Promise<unknown>;
  };
  /** The random number of each draw. */
  readonly drawn: number;
  readonly signal: AbortSignal;
}

async function startJoining({ clock, api, drawn, signal }: Joining) {
  const values = JSON.stringify(valuesOf("old"));
  const downstreamApi = simulatedCluster({ uid: "edge", agentNamespace: namespace, values });
  const secrets = createAgentSecrets(downstreamApi, namespace);
  await secrets.readIdentity(signal);
  const link = {
    bootstrap: (_: unknown, token: string) => ({
      api: { create: (object: unknown) => api.create(object, token), get: () => api.get() },
      close: () => Promise.resolve(),
    }),
    handleFailure: () => Promise.resolve(),
  };
  const parts = { clock, random: fixedRandom(drawn), log: silentLog, settings: { version: "0.2.0", namespace } };
  const context = { ...parts, downstreamApi, secrets, link, state: createAgentState() } as unknown as AgentContext;
  return { joining: joinHub(context, signal).catch(() => undefined), downstreamApi };
}
