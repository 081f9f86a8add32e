import { afterEach, describe, expect, it } from "vitest";
import type { AgentDependencies, HubTarget } from "../../../src/agent/agent-dependencies.ts";
import { createAgentSecrets } from "../../../src/agent/agent-secrets.ts";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { HubLink } from "../../../src/agent/hub-link.ts";
import { lead } from "../../../src/agent/lead.ts";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { AgentValues } from "../../../src/join/rollcall/agent-values.ts";
import { makeIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { simulatedCluster } from "../../support/simulated-cluster.ts";

const namespace = "rollcall-agent";
const minuteMs = 60_000;
const values: AgentValues = {
  hub: { url: "https://hub.example.com", caBundle: "ca", id: `sha256:${"1".repeat(64)}` },
  workspace: "east",
  token: { name: "edge", credential: "bootstrap", proofKey: Buffer.alloc(32).toString("base64") },
};
const elsewhere: AgentValues = {
  ...values,
  hub: { ...values.hub, url: "https://other.example.com", id: `sha256:${"2".repeat(64)}` },
};

describe("lead: a member with values to join by", () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

  /** A member of hub-1 that finds these values; their token is refused for good. */
  async function scene(left: AgentValues) {
    const clock = createManualClock();
    const stopping = new AbortController();
    const downstreamApi = {
      ...simulatedCluster({ uid: "edge", agentNamespace: namespace, values: JSON.stringify(left) }),
      getRaw: () => Promise.resolve({ status: 200, text: "{}" }),
    } as unknown as KubeApi;
    const secrets = createAgentSecrets(downstreamApi, namespace);
    const credential = {
      number: 1,
      token: "working",
      issuedAt: "2027-01-01T00:00:00Z",
      expiresAt: "2028-01-01T00:00:00Z",
    };
    const membership = {
      clusterName: "edge-7",
      recoveryToken: "recovery",
      heartbeatPeriodSeconds: 60,
      credential: { ...credential, receivedAtMs: clock.nowMs() },
    };
    await secrets.readIdentity(stopping.signal);
    await secrets.changeIdentity(
      () => ({ ...makeIdentity(values, "edge", Buffer.alloc(64, 5)), membership }),
      stopping.signal,
    );
    const hub = { isIll: false, heartbeats: 0, joins: 0 };
    const connectHub = ({ token }: HubTarget) => {
      const check = (isRefused: boolean) => {
        if (isRefused || hub.isIll) throw new AppError("E_KUBE_UNAUTHORIZED", "refused");
      };
      return {
        get: async ({ name }: ObjectRef) => {
          check(token === "bootstrap");
          return { metadata: { name } };
        },
        create: async () => {
          hub.joins++;
          check(token === "bootstrap");
        },
        mergePatch: async ({ type, name }: ObjectRef) => {
          check(token !== "working");
          if (type === resourceTypes.lease) hub.heartbeats++;
          return { metadata: { name } };
        },
        close: async () => undefined,
      } as unknown as KubeApi;
    };
    const dependencies = {
      downstreamApi,
      connectHub,
      followObject: () => ({ isAway: false, stop: async () => undefined }),
      clock,
      random: fixedRandom(0.5),
      log: silentLog,
      signal: stopping.signal,
      settings: { version: "0.2.0", namespace, podName: "pod-1" },
    } as unknown as AgentDependencies;
    const link = new HubLink(dependencies, secrets);
    const done = lead({ ...dependencies, secrets, link, state: createAgentState() }, stopping.signal);
    ends.push(async () => {
      stopping.abort();
      await clock.advance(minuteMs);
      await done;
    });
    const stored = async () =>
      (await createAgentSecrets(downstreamApi, namespace).readIdentity(stopping.signal))?.hubId;
    const bringBack = () => {
      const data = { values: Buffer.from(JSON.stringify(left)).toString("base64") };
      const ref = { type: resourceTypes.secret, namespace, name: "rollcall-agent-values" };
      return downstreamApi.mergePatch(ref, { data }, { fieldManager: "test" });
    };
    return { clock, hub, secrets, membership, stored, bringBack };
  }

  it("stays one of its hub, with heartbeats, while another hub does not let it in", async () => {
    const { clock, hub, secrets, membership, stored } = await scene(elsewhere);
    await clock.advance(10 * minuteMs);
    expect(hub.joins).toBeGreaterThan(1);
    expect(hub.heartbeats).toBeGreaterThan(8);
    expect(secrets.identity?.membership).toEqual(membership);
    expect(await stored()).toBe(values.hub.id);
  });

  it("resumes with its credential when an API server that refused all of them is well again", async () => {
    const { clock, hub, secrets, membership, bringBack } = await scene(values);
    await clock.advance(minuteMs);
    await bringBack();
    hub.isIll = true;
    await clock.advance(30 * minuteMs);
    expect(hub.joins).toBeGreaterThan(0);
    const before = hub.heartbeats;
    hub.isIll = false;
    await clock.advance(10 * minuteMs);
    expect(hub.heartbeats - before).toBeGreaterThan(5);
    expect(secrets.identity?.membership).toEqual(membership);
    const joins = hub.joins;
    await clock.advance(30 * minuteMs);
    expect(hub.joins).toBe(joins);
  });
});
