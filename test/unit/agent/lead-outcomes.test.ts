import { afterEach, describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import type { AgentDependencies, HubTarget } from "../../../src/agent/agent-dependencies.ts";
import { createAgentSecrets } from "../../../src/agent/agent-secrets.ts";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { HubLink } from "../../../src/agent/hub-link.ts";
import { lead } from "../../../src/agent/lead.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { textAt } from "../../../src/core/read-json.ts";
import type { AgentValues } from "../../../src/join/rollcall/agent-values.ts";
import { registrationPlace, sealAnswer, successorPlace } from "../../../src/join/rollcall/answers.ts";
import { makeIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import { keyDigest, toBase64 } from "../../../src/join/rollcall/messages.ts";
import { signHubInfo } from "../../../src/join/rollcall/signed-hub-info.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { simulatedCluster } from "../../support/simulated-cluster.ts";
import { hubFacts } from "../join/hub-scene.ts";

const namespace = "rollcall-agent";
const minuteMs = 60_000;
const { hubId, trust } = hubFacts();
const address = { url: "https://hub.example.com", caBundle: "ca" };
const values: AgentValues = {
  hub: { ...address, id: hubId },
  workspace: "fleet",
  token: { name: "edge", credential: "bootstrap", proofKey: Buffer.alloc(32).toString("base64") },
};
const info = { hubId, trustKey: trust.publicKey, endpoints: [address], validFrom: "2027-01-01T00:00:00Z", epoch: 1 };
const hubInfo = signHubInfo(info, (payload) => trust.sign(payload));
const credentialOf = (token: string, number = 1) => ({
  number,
  token,
  issuedAt: "2027-01-01T00:00:00Z",
  expiresAt: "2028-01-01T00:00:00Z",
});
const answerOf = (clusterName: string) => ({
  clusterName,
  credential: credentialOf(`working of ${clusterName}`),
  recoveryToken: `recovery of ${clusterName}`,
  hubInfo,
  heartbeatPeriodSeconds: 60,
});
const own = makeIdentity(values, "edge", Buffer.alloc(64, 5));
const seal = (clusterName: string, place: string, sealingKey: string) =>
  sealAnswer(
    answerOf(clusterName),
    { hubId, workspace: "fleet", place },
    { sealingKey, ephemeralKey: Buffer.alloc(32, 7) },
  );

interface Scene {
  /** Values in the agent's Secret. Default: none. */
  readonly given?: AgentValues;
  /** The agent is a member already. Default: it is. */
  readonly isMember?: boolean;
  /** The identity that it has. */
  readonly change?: object;
  /** The hub admits who registers. Default: it does not. */
  readonly admits?: boolean;
}

describe("the replica that leads", () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

  async function scene({ given, isMember = true, change = {}, admits = false }: Scene = {}) {
    const clock = createManualClock();
    const stopping = new AbortController();
    const simulated = simulatedCluster({
      uid: "edge",
      agentNamespace: namespace,
      values: given === undefined ? "" : JSON.stringify(given),
    });
    const downstream = { failures: 0 };
    const downstreamApi = {
      ...simulated,
      getRaw: async () => ({ status: 200, text: "{}" }),
      get: async (ref: ObjectRef) => {
        if (downstream.failures > 0) {
          downstream.failures -= 1;
          throw new AppError("E_KUBE_SERVER", "down");
        }
        return simulated.get(ref);
      },
    } as unknown as KubeApi;
    const secrets = createAgentSecrets(downstreamApi, namespace);
    const credential = { ...credentialOf("working of eu-1"), receivedAtMs: clock.nowMs() };
    const membership = {
      clusterName: "eu-1",
      recoveryToken: "recovery of eu-1",
      heartbeatPeriodSeconds: 60,
      credential,
    };
    await secrets.readIdentity(stopping.signal);
    if (isMember) await secrets.changeIdentity(() => ({ ...own, membership, ...change }), stopping.signal);
    const lines: (readonly [string, LogFields | undefined])[] = [];
    const note = (message: string, fields?: LogFields): void => void lines.push([message, fields]);
    const log: Log = { ...silentLog, info: note, warn: note, error: note };
    const seen = { followed: [] as string[], beats: [] as string[], joins: 0, refused: new Set<string>() };
    let onObject: (report: KubeObject | undefined) => void = () => undefined;
    let registration: KubeObject | undefined;
    const connectHub = ({ token = "" }: HubTarget) => {
      const check = (): void => {
        if (seen.refused.has(token)) throw new AppError("E_KUBE_UNAUTHORIZED", "refused");
      };
      return {
        create: async (object: KubeObject) => {
          seen.joins += 1;
          registration = object;
        },
        get: async ({ type, name }: ObjectRef) => {
          check();
          if (type !== resourceTypes.clusterRegistration) return { metadata: { name } };
          const key = textAt(registration, "spec", "sealingKey") ?? "";
          const status = admits
            ? { decision: "Granted", sealedAnswer: seal("new-1", registrationPlace(name), key) }
            : {};
          return { metadata: { name }, status };
        },
        mergePatch: async ({ type, name }: ObjectRef) => {
          check();
          if (type === resourceTypes.lease) seen.beats.push(name);
          return { metadata: { name, uid: "u" } };
        },
        close: async () => undefined,
      } as unknown as KubeApi;
    };
    const dependencies = {
      downstreamApi,
      connectHub,
      followObject: (_: unknown, { name }: ObjectRef, listeners: { readonly onObject: typeof onObject }) => {
        seen.followed.push(name);
        ({ onObject } = listeners);
        return { isAway: false, stop: async () => undefined };
      },
      clock,
      random: fixedRandom(0.5),
      log,
      signal: stopping.signal,
      settings: { version: "0.2.0", namespace, podName: "pod-1" },
    } as unknown as AgentDependencies;
    const link = new HubLink(dependencies, secrets);
    const state = createAgentState();
    const context: AgentContext = { ...dependencies, secrets, link, state };
    const outcome: { ended?: "resolved" | "rejected" } = {};
    const begin = (): void => {
      const done = lead(context, stopping.signal).then(
        () => void (outcome.ended = "resolved"),
        () => void (outcome.ended = "rejected"),
      );
      ends.push(async () => {
        stopping.abort();
        await clock.advance(25 * 60 * minuteMs);
        await done;
      });
    };
    const show = async (status: object, name = "eu-1"): Promise<void> => {
      onObject({
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "ClusterReport",
        metadata: { name, namespace: "fleet", uid: "u" },
        status,
      });
      await clock.advance(0);
    };
    const giveValues = () => {
      const data = { values: Buffer.from(JSON.stringify(values)).toString("base64") };
      const ref = { type: resourceTypes.secret, namespace, name: "rollcall-agent-values" };
      return simulated.mergePatch(ref, { data }, { fieldManager: "test" });
    };
    const messages = () => lines.map(([message]) => message);
    return { clock, stopping, secrets, seen, state, lines, messages, outcome, begin, show, downstream, giveValues };
  }

  it("joins where it is no member, and is one then", async () => {
    const { begin, clock, secrets, seen } = await scene({ isMember: false, given: values, admits: true });
    begin();
    await clock.advance(2 * minuteMs);
    expect(secrets.identity?.membership?.clusterName).toBe("new-1");
    expect(seen.beats).toContain("rollcall-new-1");
  });

  it("reads its identity until its own API server answers", async () => {
    const { begin, clock, seen, messages, downstream } = await scene();
    downstream.failures = 2;
    begin();
    await clock.advance(minuteMs);
    expect(messages().filter((message) => message === "reading the identity failed").length).toBeGreaterThan(0);
    expect(seen.beats).toContain("rollcall-eu-1");
  });

  it("continues as another cluster, with heartbeats under that name alone", async () => {
    const { begin, clock, seen, show } = await scene();
    begin();
    await clock.advance(minuteMs);
    await show({ successor: { sealed: seal("eu-2", successorPlace("eu-1"), own.keys.sealing.public) } });
    await clock.advance(minuteMs);
    const before = seen.beats.length;
    await clock.advance(3 * minuteMs);
    expect(new Set(seen.beats.slice(before))).toEqual(new Set(["rollcall-eu-2"]));
    expect(seen.followed).toEqual(["eu-1", "eu-2"]);
  });

  it("forgets values that an update brought back, and does not join by them", async () => {
    const { begin, clock, seen, secrets, stopping } = await scene({ given: values });
    begin();
    await clock.advance(5 * minuteMs);
    expect(seen.joins).toBe(0);
    expect((await secrets.readValues(stopping.signal)).kind).toBe("none");
  });

  it.each([
    ["hub", { ...values, hub: { ...values.hub, id: `sha256:${"2".repeat(64)}` } }],
    ["workspace", { ...values, workspace: "west" }],
  ])("joins by values that name another %s, while it stays a member", async (_, given) => {
    const { begin, clock, seen, messages } = await scene({ given });
    begin();
    await clock.advance(5 * minuteMs);
    expect(messages()).toContain("the values name another hub or workspace: joining there");
    expect(seen.joins).toBeGreaterThan(0);
    expect(seen.beats.length).toBeGreaterThan(2);
  });

  it("trusts a newer trust key of its hub that values name, and keeps those values", async () => {
    const trustKey = { digest: keyDigest(toBase64(Buffer.alloc(44, 1))), number: 2 };
    const hub = { ...values.hub, trustKey: trustKey.digest, trustKeyNumber: trustKey.number };
    const given = { ...values, hub };
    const { begin, clock, seen, secrets, messages, stopping } = await scene({ given });
    begin();
    await clock.advance(5 * minuteMs);
    expect(secrets.identity?.trustKey).toEqual(trustKey);
    expect(secrets.identity?.membership?.clusterName).toBe("eu-1");
    expect(messages()).toContain("the values name a newer trust key of the hub: it is trusted now");
    expect((await secrets.readValues(stopping.signal)).kind).toBe("values");
    expect(seen.joins).toBe(0);
  });

  it("joins again by values where the hub refuses both of its credentials, and is another member then", async () => {
    const { begin, clock, seen, secrets, messages, giveValues } = await scene({ admits: true });
    begin();
    await clock.advance(minuteMs);
    for (const token of ["working of eu-1", "recovery of eu-1"]) seen.refused.add(token);
    await clock.advance(2 * minuteMs);
    expect(seen.joins).toBe(0);
    await giveValues();
    await clock.advance(15 * minuteMs);
    expect(messages()).toContain("joining again with the values that were given");
    expect(secrets.identity?.membership?.clusterName).toBe("new-1");
    expect(seen.beats.at(-1)).toBe("rollcall-new-1");
    expect(seen.followed).toEqual(["eu-1", "new-1"]);
  });

  it("ends with its signal, without a line in the log", async () => {
    const { begin, clock, stopping, outcome, lines } = await scene();
    begin();
    await clock.advance(minuteMs);
    stopping.abort();
    await clock.advance(0);
    expect([outcome.ended, lines]).toEqual(["resolved", []]);
  });

  it("ends its other work where one part of it fails, and reports that", async () => {
    const { begin, clock, outcome, messages, seen, secrets } = await scene();
    begin();
    await clock.advance(minuteMs);
    // What no part can work without, and none of them waits for.
    Object.defineProperty(secrets, "identity", { get: () => undefined });
    await clock.advance(5 * minuteMs);
    const before = seen.beats.length;
    await clock.advance(5 * minuteMs);
    expect([outcome.ended, seen.beats.length]).toEqual(["rejected", before]);
    expect(messages()).toContain("leading ended");
  });

  it("begins nothing where it is to end already", async () => {
    const { begin, clock, stopping, outcome, seen } = await scene();
    stopping.abort();
    begin();
    await clock.advance(minuteMs);
    expect([outcome.ended, seen.beats]).toEqual(["resolved", []]);
  });

  it("waits for the end of its Pod after it has removed itself, and does nothing more", async () => {
    const { begin, clock, seen, show, state, outcome } = await scene();
    begin();
    await clock.advance(minuteMs);
    await show({ leave: { commit: "c".repeat(40), policy: "Uninstall", epoch: 5 } });
    expect(state.isLeaving).toBe(true);
    await clock.advance(10 * minuteMs);
    const before = seen.beats.length;
    await clock.advance(60 * minuteMs);
    expect([seen.beats.length, outcome.ended]).toEqual([before, undefined]);
    await clock.advance(24 * 60 * minuteMs);
    expect(outcome.ended).toBe("resolved");
  });
});
