import { describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import { createAgentSecrets } from "../../../src/agent/agent-secrets.ts";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { joinHub } from "../../../src/agent/join-hub.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { objectAt, textAt } from "../../../src/core/read-json.ts";
import type { AgentValues } from "../../../src/join/rollcall/agent-values.ts";
import { registrationPlace, sealAnswer } from "../../../src/join/rollcall/answers.ts";
import { makeIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import type { AgentIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import { signHubInfo } from "../../../src/join/rollcall/signed-hub-info.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { simulatedCluster } from "../../support/simulated-cluster.ts";
import { hubFacts } from "../join/hub-scene.ts";

const namespace = "rollcall-agent";
const { hubId, trust } = hubFacts();
const values: AgentValues = {
  hub: { url: "https://hub.example.com", caBundle: "ca", id: hubId },
  workspace: "fleet",
  token: { name: "edge", credential: "bootstrap", proofKey: Buffer.alloc(32).toString("base64") },
};
const info = { hubId, trustKey: trust.publicKey, endpoints: [{ url: "https://hub.example.com", caBundle: "ca" }] };
const hubInfo = signHubInfo({ ...info, validFrom: "2027-01-01T00:00:00Z", epoch: 1 }, (payload) => trust.sign(payload));

/** The status by which the hub admits the agent of a registration. */
function grant(registration: KubeObject, number = 1): object {
  const credential = { number, token: "working", issuedAt: "2027-01-01T00:00:00Z", expiresAt: "2027-01-02T00:00:00Z" };
  const answer = { clusterName: "eu-1", credential, recoveryToken: "recovery", hubInfo, heartbeatPeriodSeconds: 60 };
  const place = { hubId, workspace: "fleet", place: registrationPlace(registration.metadata.name) };
  const sealingKey = textAt(registration, "spec", "sealingKey") ?? "";
  return {
    decision: "Granted",
    sealedAnswer: sealAnswer(answer, place, { sealingKey, ephemeralKey: Buffer.alloc(32, 7) }),
  };
}

interface Scene {
  /** The status that the hub gives a registration at each read; undefined: there is no registration any more. */
  readonly answer?: (registration: KubeObject, reads: number) => object | undefined;
  readonly onCreate?: (creates: number) => AppError | undefined;
  readonly given?: string;
  readonly held?: AgentIdentity;
  readonly uid?: string;
}

function start({
  answer = grant,
  onCreate = () => undefined,
  given = JSON.stringify(values),
  held,
  uid = "cluster-uid",
}: Scene = {}) {
  const clock = createManualClock();
  const stopping = new AbortController();
  const { signal } = stopping;
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const note = (message: string, fields?: LogFields): void => void lines.push([message, fields]);
  const log: Log = { ...silentLog, info: note, warn: note, error: note };
  const downstreamApi = simulatedCluster({ uid, agentNamespace: namespace, values: given });
  const secrets = createAgentSecrets(downstreamApi, namespace);
  const hub = { creates: [] as KubeObject[], reads: 0, closed: 0, failures: [] as unknown[] };
  const api = {
    create: async (registration: KubeObject) => {
      hub.creates.push(registration);
      const error = onCreate(hub.creates.length);
      if (error) throw error;
    },
    get: async (ref: ObjectRef) => {
      hub.reads += 1;
      const registration = hub.creates.at(-1);
      if (registration === undefined || ref.name !== registration.metadata.name) return undefined;
      const status = answer(registration, hub.reads);
      return status && { ...registration, status };
    },
  };
  const state = createAgentState();
  const context = {
    clock,
    log,
    secrets,
    downstreamApi,
    state,
    random: fixedRandom(0.5),
    settings: { version: "0.2.0", namespace },
    link: {
      bootstrap: () => ({ api, close: async () => void (hub.closed += 1) }),
      handleFailure: async (error: unknown) => void hub.failures.push(error),
    },
  } as unknown as AgentContext;
  const joined = (async () => {
    await secrets.readIdentity(signal);
    if (held) await secrets.changeIdentity(() => held, signal);
    return joinHub(context, signal);
  })();
  joined.catch(() => undefined);
  const stored = () => createAgentSecrets(downstreamApi, namespace).readIdentity(signal);
  return { clock, stopping, joined, hub, state, secrets, lines, stored, signal };
}

describe("joinHub", () => {
  it("registers the cluster by its uid, stores what it becomes, and forgets the values", async () => {
    const { clock, joined, hub, state, secrets, lines, stored, signal } = start();
    await clock.advance(1000);
    const identity = await joined;
    expect(identity.membership).toMatchObject({
      clusterName: "eu-1",
      recoveryToken: "recovery",
      credential: { receivedAtMs: clock.nowMs() - 900 },
    });
    expect(await stored()).toEqual(identity);
    expect(identity.clientID).toBe("cluster-uid");
    expect(objectAt(hub.creates[0], "spec")).toMatchObject({ tokenName: "edge" });
    expect(state.isFirstJoin).toBe(true);
    expect(lines).toEqual([["joined the hub", { cluster: "eu-1", workspace: "fleet" }]]);
    expect((await secrets.readValues(signal)).kind).toBe("none");
    expect([hub.closed, hub.failures]).toEqual([1, []]);
  });

  it("has a report of its cluster where it is not its first agent", async () => {
    const { clock, joined, state } = start({ answer: (registration) => grant(registration, 2) });
    await clock.advance(1000);
    await joined;
    expect(state.isFirstJoin).toBe(false);
  });

  it("takes the identity of the cluster from its values, where they have one", async () => {
    const named = start({ given: JSON.stringify({ ...values, cluster: { clientID: "chosen" } }) });
    await named.clock.advance(1000);
    expect((await named.joined).clientID).toBe("chosen");
  });

  it.each([
    ["", "they are empty"],
    ["{}", undefined],
  ])("waits for values where it finds %j, and logs what is missing", async (given, lack) => {
    const { clock, hub, lines, stopping } = start({ given });
    await clock.advance(1000);
    expect(lines[0]).toMatchObject(["joining the hub failed", { attempt: 1 }]);
    const error = String(lines[0]?.[1]?.["error"]);
    expect(error).toMatch(/^E_AGENT_VALUES: read the values to join by: ./u);
    expect(error.endsWith("they are empty")).toBe(lack !== undefined);
    expect(hub.creates).toEqual([]);
    stopping.abort();
  });

  const other = makeIdentity(
    { hub: { ...values.hub, id: `sha256:${"2".repeat(64)}` }, workspace: "fleet" },
    "cluster-uid",
    Buffer.alloc(64, 5),
  );
  const same = makeIdentity(values, "cluster-uid", Buffer.alloc(64, 5));
  const membership = {
    clusterName: "old",
    recoveryToken: "r",
    heartbeatPeriodSeconds: 60,
    credential: { number: 3, token: "t", issuedAt: "", expiresAt: "", receivedAtMs: 0 },
  };

  it.each([
    { reason: "that has begun to join there", held: same },
    { reason: "that has begun to join elsewhere", held: other },
    { reason: "of another workspace", held: { ...same, workspace: "west" } },
    { reason: "of another cluster", held: { ...same, clientID: "restored-elsewhere" } },
    { reason: "that is a member there", held: { ...same, membership, lastNonce: 9 } },
    { reason: "that is a member elsewhere", held: { ...other, membership, lastNonce: 9 } },
  ])("keeps the keys of an agent $reason", async ({ held }) => {
    const { clock, joined, hub } = start({ held });
    await clock.advance(1000);
    const identity = await joined;
    expect(identity).toMatchObject({ keys: held.keys, hubId, workspace: "fleet", clientID: "cluster-uid" });
    expect(identity.membership?.clusterName).toBe("eu-1");
    expect(hub.creates).toHaveLength(1);
    // The nonces of another hub say nothing to this one.
    expect(identity.lastNonce).toBe(held.hubId === hubId && "membership" in held ? 9 : 0);
  });

  it("stays what it is in its Secret, where it is a member of another hub, until this one admits it", async () => {
    const held = { ...other, membership };
    const { clock, stored, stopping } = start({ held, answer: () => ({}) });
    await clock.advance(10_000);
    expect(await stored()).toEqual(held);
    stopping.abort();
  });

  it("reads the answer to a registration that was made before, or for which the token has no use left", async () => {
    for (const code of ["E_KUBE_EXISTS", "E_KUBE_FORBIDDEN"] as const) {
      const { clock, joined, hub } = start({ onCreate: () => new AppError(code, "no") });
      await clock.advance(1000);
      expect((await joined).membership?.clusterName).toBe("eu-1");
      expect(hub.creates).toHaveLength(1);
    }
  });

  it("is refused where the token has no use left and the hub knows no registration of it", async () => {
    const { clock, hub, lines, stopping } = start({
      onCreate: () => new AppError("E_KUBE_FORBIDDEN", "no"),
      answer: () => undefined,
    });
    await clock.advance(500);
    expect(lines[0]).toMatchObject(["joining the hub failed", { error: "E_KUBE_FORBIDDEN: no" }]);
    expect(hub.failures).toMatchObject([{ code: "E_KUBE_FORBIDDEN" }]);
    expect(hub.closed).toBe(1);
    stopping.abort();
  });

  it("tries another address after a failure, and asks for no answer", async () => {
    const { clock, hub, stopping } = start({ onCreate: () => new AppError("E_KUBE_UNREACHABLE", "no") });
    await clock.advance(500);
    expect(hub.failures).toMatchObject([{ code: "E_KUBE_UNREACHABLE" }]);
    expect(hub.reads).toBe(0);
    stopping.abort();
  });

  it("asks anew where its registration was deleted", async () => {
    const { clock, joined, hub } = start({
      answer: (registration, reads) => (reads === 1 ? undefined : grant(registration)),
    });
    await clock.advance(10_000);
    await joined;
    expect(hub.creates).toHaveLength(2);
    expect(hub.failures).toMatchObject([{ code: "E_REGISTRATION" }]);
  });

  it("logs why it waits, and why it is refused, once for each reason", async () => {
    const says = [
      {},
      { decision: "Waiting", reason: "PullRequest", message: "merge it" },
      { decision: "Waiting", reason: "PullRequest", message: "merge it" },
      { decision: "Refused", reason: "ByPolicy", message: "no" },
    ];
    const { clock, joined, lines } = start({ answer: (registration, reads) => says[reads - 1] ?? grant(registration) });
    await clock.advance(60_000);
    const { membership: became } = await joined;
    expect(became?.clusterName).toBe("eu-1");
    const name = expect.any(String) as string;
    expect(lines).toEqual([
      ["the registration waits", { registration: name, reason: "PullRequest", message: "merge it" }],
      ["the hub refused the registration", { registration: name, reason: "ByPolicy", message: "no" }],
      ["joined the hub", { cluster: "eu-1", workspace: "fleet" }],
    ]);
  });

  it("continues to wait where its values were deleted meanwhile", async () => {
    const { clock, hub, secrets, signal, stopping } = start({
      answer: () => ({ decision: "Waiting", reason: "PullRequest" }),
    });
    await clock.advance(5000);
    await secrets.forgetValues(values, signal);
    await clock.advance(3600_000);
    expect(hub.creates).toHaveLength(1);
    expect(hub.failures).toEqual([]);
    stopping.abort();
  });

  it("ends with its signal, and handles no failure for it", async () => {
    const { clock, joined, hub, stopping } = start({ answer: () => ({}) });
    await clock.advance(500);
    stopping.abort(new Error("it ends"));
    await expect(joined).rejects.toThrow("it ends");
    expect([hub.failures, hub.closed]).toEqual([[], 1]);
  });

  it("cannot be a cluster that has no kube-system", async () => {
    const clock = createManualClock();
    const api = simulatedCluster({ uid: "u", agentNamespace: namespace, values: JSON.stringify(values) });
    const downstreamApi = {
      ...api,
      get: async (ref: ObjectRef) => (ref.type === resourceTypes.namespace ? undefined : api.get(ref)),
    };
    const secrets = createAgentSecrets(downstreamApi, namespace);
    const stopping = new AbortController();
    const errors: unknown[] = [];
    const log: Log = { ...silentLog, warn: (_, fields) => void errors.push(fields?.["error"]) };
    await secrets.readIdentity(stopping.signal);
    const context = {
      clock,
      log,
      secrets,
      downstreamApi,
      state: createAgentState(),
      random: fixedRandom(),
      settings: {},
    };
    const joined = joinHub(context as unknown as AgentContext, stopping.signal);
    await clock.advance(0);
    expect(errors).toEqual(["E_AGENT_VALUES: read the cluster's identity: no namespace kube-system"]);
    stopping.abort(new Error("it ends"));
    await expect(joined).rejects.toThrow("it ends");
  });
});
