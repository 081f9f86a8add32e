import { describe, expect, it, onTestFinished } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { createCredentials } from "../../../src/agent/credentials.ts";
import type { ErrorCode } from "../../../src/core/error-codes.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { numberAt, objectAt } from "../../../src/core/read-json.ts";
import { renewalPlace, sealAnswer } from "../../../src/join/rollcall/answers.ts";
import { makeIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import type { AgentIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import { signHubInfo } from "../../../src/join/rollcall/signed-hub-info.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { hubFacts } from "../join/hub-scene.ts";

const { hubId, trust } = hubFacts();
const hour = 3600_000;
const address = { url: "https://hub.example", caBundle: "ca" };
const info = { hubId, trustKey: trust.publicKey, endpoints: [address], validFrom: "2027-01-01T00:00:00Z", epoch: 1 };
const hubInfo = signHubInfo(info, (payload) => trust.sign(payload));
/** Of a life of 24 hours: two thirds of it are 16. */
const credentialOf = (number: number) => ({
  number,
  token: `token ${number}`,
  issuedAt: "2027-01-01T00:00:00Z",
  expiresAt: "2027-01-02T00:00:00Z",
});

interface Scene {
  /** How the hub refuses a credential. Default: it accepts both. */
  readonly refusals?: { working?: ErrorCode; recovery?: ErrorCode };
  /** After how many reads the hub has the answer. Default: at the first. */
  readonly answersAfter?: number;
  readonly drawn?: number;
}

/** A member whose hub renews its credential, and what it wrote into its report with which credential. */
function member({ refusals = {}, answersAfter = 1, drawn = 0 }: Scene = {}) {
  const clock = createManualClock();
  const stopping = new AbortController();
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const note = (message: string, fields?: LogFields): void => void lines.push([message, fields]);
  const log: Log = { ...silentLog, info: note, warn: note, error: note };
  const made = makeIdentity({ hub: { ...address, id: hubId }, workspace: "fleet" }, "uid", Buffer.alloc(64, 5));
  const membership = {
    clusterName: "eu-1",
    recoveryToken: "recovery",
    heartbeatPeriodSeconds: 60,
    credential: { ...credentialOf(1), receivedAtMs: clock.nowMs() },
  };
  const secrets = {
    identity: { ...made, epoch: 1, membership } as AgentIdentity,
    changeIdentity: async (change: (held: AgentIdentity) => AgentIdentity) =>
      (secrets.identity = change(secrets.identity)),
    readValues: async () => ({ kind: "none" }),
  };
  const hub = {
    writes: [] as unknown[],
    reads: 0,
    quiet: [] as (boolean | undefined)[],
    beforeAnswer: () => undefined as void,
    refuse: () => undefined as void,
  };
  let asked: { readonly nonce: number; readonly number: number } | undefined;
  const apiOf = (credential: "working" | "recovery") => ({
    mergePatch: async (_: unknown, { spec }: { readonly spec: object }) => {
      const { time: _time, ...fields } = spec as Record<string, unknown>;
      const renewal = objectAt(spec, "renewal");
      hub.writes.push([credential, renewal ? "asks" : fields]);
      const code = refusals[credential];
      if (code) throw new AppError(code, "refused");
      if (renewal) asked = { nonce: numberAt(renewal, "nonce") ?? 0, number: numberAt(renewal, "credential") ?? 0 };
      return { metadata: { name: "eu-1" } };
    },
    get: async () => {
      hub.reads += 1;
      const code = refusals[credential];
      if (code) throw new AppError(code, "refused");
      if (asked === undefined || hub.reads < answersAfter) return undefined;
      hub.beforeAnswer();
      const answer = {
        clusterName: "eu-1",
        credential: credentialOf(asked.number + 1),
        recoveryToken: "recovery",
        hubInfo,
        heartbeatPeriodSeconds: 60,
      };
      const place = { hubId, workspace: "fleet", place: renewalPlace("eu-1", asked.nonce) };
      const keys = { sealingKey: made.keys.sealing.public, ephemeralKey: Buffer.alloc(32, 7) };
      return {
        metadata: { name: "eu-1" },
        status: { renewal: { nonce: asked.nonce, sealed: sealAnswer(answer, place, keys) } },
      };
    },
  });
  const state = createAgentState();
  const context = {
    clock,
    log,
    state,
    secrets,
    random: fixedRandom(drawn),
    link: {
      onRefusal: (listener: () => void) => {
        hub.refuse = listener;
        return () => undefined;
      },
      call: (
        work: (api: object) => Promise<unknown>,
        options: { readonly credential?: "working" | "recovery"; readonly isQuiet?: boolean },
      ) => {
        hub.quiet.push(options.isQuiet);
        return work(apiOf(options.credential ?? "working"));
      },
      readPublic: async () => false,
    },
  } as unknown as AgentContext;
  const { signal } = stopping;
  const ended: string[] = [];
  const credentials = createCredentials(context, {
    signal,
    onDead: () => void ended.push("dead"),
    onMoved: () => void ended.push("moved"),
  });
  const begin = (): void => {
    const done = credentials.keepRenewing(signal).catch(() => undefined);
    onTestFinished(() => {
      stopping.abort();
      return done;
    });
  };
  const numberInUse = () => secrets.identity.membership?.credential.number;
  return { clock, stopping, hub, state, secrets, lines, begin, ended, numberInUse };
}

describe("the working credential of a member", () => {
  it("is renewed when two thirds of its life have passed, and the hub learns then which one is in use", async () => {
    const { clock, hub, state, lines, begin, numberInUse } = member();
    begin();
    await clock.advance(16 * hour - 60_000);
    expect([numberInUse(), hub.writes]).toEqual([1, []]);
    await clock.advance(120_000);
    expect(numberInUse()).toBe(2);
    expect(hub.writes).toEqual([
      ["working", "asks"],
      ["working", { credentialNumber: 2, renewal: null }],
    ]);
    expect(state.unanswered).toBe(1);
    expect(lines).toEqual([
      ["renewing the working credential", { number: 1 }],
      ["the working credential was renewed", { number: 2, expiresAt: "2027-01-02T00:00:00Z" }],
    ]);
    await clock.advance(16 * hour);
    expect(numberInUse()).toBe(3);
  });

  it("is asked for with a number that is used once, and stored before it is sent", async () => {
    const { clock, secrets, begin } = member();
    secrets.identity = { ...secrets.identity, lastNonce: clock.nowMs() + 48 * hour };
    begin();
    await clock.advance(16 * hour + 60_000);
    expect(secrets.identity.lastNonce).toBe(clock.nowMs() + 48 * hour - 16 * hour - 60_000 + 1);
  });

  it("is renewed at another moment than those of agents that joined with it", async () => {
    const { clock, begin, numberInUse } = member({ drawn: 1 });
    begin();
    await clock.advance(16 * hour + 1000);
    expect(numberInUse()).toBe(1);
    await clock.advance(10 * 60_000);
    expect(numberInUse()).toBe(2);
  });

  it("is renewed by the recovery credential where the hub refuses it", async () => {
    const { clock, hub, state, begin, numberInUse } = member({ refusals: { working: "E_KUBE_UNAUTHORIZED" } });
    begin();
    await clock.advance(16 * hour + 60_000);
    expect(hub.writes.slice(0, 2)).toEqual([
      ["working", "asks"],
      ["recovery", "asks"],
    ]);
    expect([numberInUse(), state.unanswered]).toEqual([2, 1]);
  });

  it("is not asked for by the recovery credential after another failure; the hub may have the request", async () => {
    const { clock, hub, state, begin } = member({ refusals: { working: "E_KUBE_SERVER" } });
    begin();
    await clock.advance(16 * hour + 60_000);
    expect(hub.writes.length).toBeGreaterThan(1);
    expect(hub.writes.every((write) => JSON.stringify(write) === '["working","asks"]')).toBe(true);
    expect(state.unanswered).toBe(1);
  });

  it("has no request at the hub where both credentials are refused", async () => {
    const { clock, state, begin } = member({
      refusals: { working: "E_KUBE_UNAUTHORIZED", recovery: "E_KUBE_FORBIDDEN" },
    });
    begin();
    await clock.advance(16 * hour + 60_000);
    expect(state.unanswered).toBeUndefined();
  });

  it("is waited for longer after each read, and asked for anew after two minutes", async () => {
    const { clock, hub, lines, begin, numberInUse } = member({ answersAfter: 20 });
    begin();
    await clock.advance(16 * hour);
    await clock.advance(119_000);
    expect(hub.reads).toBeGreaterThan(6);
    expect(hub.reads).toBeLessThan(20);
    await clock.advance(200_000);
    expect(lines[1]).toMatchObject([
      "renewing the working credential failed",
      { error: "E_RENEWAL: renew the credential of fleet/eu-1: no answer in time" },
    ]);
    expect(numberInUse()).toBe(2);
  });

  it.each([
    [
      "has moved to another cluster",
      (held: AgentIdentity) => ({
        ...held,
        membership: held.membership && { ...held.membership, clusterName: "eu-2" },
      }),
    ],
    ["has moved to another workspace", (held: AgentIdentity) => ({ ...held, workspace: "west" })],
  ])("is not taken where the agent %s meanwhile", async (_, move) => {
    const { clock, hub, secrets, begin } = member();
    hub.beforeAnswer = () => {
      secrets.identity = move(secrets.identity);
      hub.beforeAnswer = () => undefined;
    };
    begin();
    await clock.advance(16 * hour + 5000);
    // What it asks for next is for the cluster that it is now; the hub does not learn of a credential that is not in use.
    expect(hub.writes.slice(0, 2)).toEqual([
      ["working", "asks"],
      ["working", "asks"],
    ]);
  });
});

describe("a refusal of the working credential", () => {
  it("is checked before another one is asked for, since an ill API server refuses good ones", async () => {
    const { clock, hub, lines, numberInUse } = member();
    hub.refuse();
    await clock.advance(5000);
    expect([hub.reads, hub.writes, lines, numberInUse()]).toEqual([1, [], [], 1]);
    expect(hub.quiet).toEqual([true]);
  });

  it("leads to another one by the recovery credential", async () => {
    const { clock, hub, lines, numberInUse } = member({ refusals: { working: "E_KUBE_UNAUTHORIZED" } });
    hub.refuse();
    await clock.advance(5000);
    expect(hub.writes[0]).toEqual(["recovery", "asks"]);
    expect(numberInUse()).toBe(2);
    expect(lines[0]).toEqual(["the hub refuses the working credential; asking for another", { attempt: 1 }]);
  });

  it("that repeats soon is checked later each time, and at once again after ten quiet minutes", async () => {
    const refusals: { working?: ErrorCode } = { working: "E_KUBE_UNAUTHORIZED" };
    const { clock, hub } = member({ refusals });
    /** How long it takes from a refusal to the request. */
    const delay = async (): Promise<number> => {
      refusals.working = "E_KUBE_UNAUTHORIZED";
      const asks = (): number => hub.writes.filter((write) => JSON.stringify(write) === '["recovery","asks"]').length;
      const before = asks();
      hub.refuse();
      let waitedMs = 0;
      for (; asks() === before && waitedMs < 60_000; waitedMs += 100) await clock.advance(100);
      delete refusals.working;
      await clock.advance(10_000);
      return waitedMs;
    };
    const first = await delay();
    const second = await delay();
    const third = await delay();
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
    await clock.advance(11 * 60_000);
    expect(await delay()).toBe(first);
  });

  it("is logged where no other one can be asked for, and leads to one with the next refusal", async () => {
    const refusals: { working?: ErrorCode; recovery?: ErrorCode } = {
      working: "E_KUBE_UNAUTHORIZED",
      recovery: "E_KUBE_SERVER",
    };
    const { clock, hub, lines, ended } = member({ refusals });
    hub.refuse();
    await clock.advance(5000);
    expect(lines[1]).toEqual(["asking for another credential failed", { error: "E_KUBE_SERVER: refused" }]);
    expect(ended).toEqual([]);
    hub.refuse();
    await clock.advance(5000);
    expect(lines.filter(([message]) => message.startsWith("asking for another"))).toHaveLength(2);
  });

  it("means nothing after the end of the agent, and its check ends without a line in the log", async () => {
    const { clock, hub, lines, stopping } = member();
    hub.refuse();
    stopping.abort();
    hub.refuse();
    await clock.advance(5000);
    expect([hub.reads, lines]).toEqual([0, []]);
  });
});
