import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { createCredentials } from "../../../src/agent/credentials.ts";
import { silentLog } from "../../../src/core/log.ts";

describe("createCredentials", () => {
  it("checks as soon as at first after refusals that were mistakes of the API server", async () => {
    const sleeps: number[] = [];
    const refusal: { tell?: () => void } = {};
    let looked: (() => void) | undefined;
    const context = {
      state: createAgentState(),
      clock: {
        nowMs: () => 0,
        monotonicMs: () => 1,
        sleep: (durationMs: number) => Promise.resolve(void sleeps.push(durationMs)),
      },
      random: { next: () => 0 },
      log: silentLog,
      secrets: { identity: { workspace: "fleet", membership: { clusterName: "eu-1", credential: { number: 1 } } } },
      link: {
        onRefusal: (listener: () => void) => {
          refusal.tell = listener;
          return () => undefined;
        },
        call: () => Promise.resolve(looked?.()),
      },
    } as unknown as AgentContext;
    const { signal } = new AbortController();
    createCredentials(context, { signal, onDead: () => undefined, onMoved: () => undefined });
    for (let times = 0; times < 12; times++) {
      const accepted = new Promise<void>((resolve) => (looked = resolve));
      refusal.tell?.();
      await accepted;
      // The check has ended when the next refusal is listened to again.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sleeps).toEqual(Array(12).fill(sleeps[0]));
  });

  it("asks again where a request has no answer yet, however young the credential is that is in use", async () => {
    const stop = new AbortController();
    const { signal } = stop;
    const asked: unknown[] = [];
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const signing = {
      public: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
      private: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
    };
    const young = { number: 1, issuedAt: "2027-01-01T00:00:00Z", expiresAt: "2027-01-02T00:00:00Z", receivedAtMs: 0 };
    const identity = {
      keys: { signing },
      hubId: "sha256:0",
      workspace: "fleet",
      lastNonce: 3,
      membership: { clusterName: "eu-1", credential: young },
    };
    const state = createAgentState();
    const context = {
      state,
      clock: {
        nowMs: () => 0,
        monotonicMs: () => 1,
        sleep: () => {
          // After a minute of its credential's life the agent learns what its report contains.
          state.unanswered = 1;
          signal.throwIfAborted();
          return Promise.resolve();
        },
      },
      random: { next: () => 0 },
      log: silentLog,
      secrets: { identity, changeIdentity: (change: (held: unknown) => unknown) => Promise.resolve(change(identity)) },
      link: {
        onRefusal: () => () => undefined,
        call: (work: (api: object) => Promise<unknown>, { credential }: { credential?: string }) =>
          work({
            mergePatch: (_: unknown, patch: object) => Promise.resolve(void asked.push([credential, patch])),
            get: () => {
              stop.abort();
              return Promise.resolve(undefined);
            },
          }),
      },
    } as unknown as AgentContext;
    const credentials = createCredentials(context, { signal, onDead: () => undefined, onMoved: () => undefined });
    await expect(credentials.keepRenewing(signal)).rejects.toThrow("aborted");
    expect(asked).toMatchObject([["working", { spec: { renewal: { nonce: 4, credential: 1 } } }]]);
  });

  it.each([
    { periodSeconds: 60, piece: "each minute", ms: 60_000 },
    { periodSeconds: 5, piece: "each minute", ms: 60_000 },
    { periodSeconds: 300, piece: "with each heartbeat", ms: 300_000 },
    { periodSeconds: 3600, piece: "each ten minutes", ms: 600_000 },
  ])("with a heartbeat each $periodSeconds s it reads its clock $piece", async ({ periodSeconds, ms }) => {
    const stop = new AbortController();
    const { signal } = stop;
    const sleeps: number[] = [];
    const credential = { number: 1, issuedAt: "2027-01-01T00:00:00Z", expiresAt: "2027-01-02T00:00:00Z" };
    const membership = {
      clusterName: "eu-1",
      heartbeatPeriodSeconds: periodSeconds,
      credential: { ...credential, receivedAtMs: 0 },
    };
    const context = {
      state: createAgentState(),
      clock: {
        nowMs: () => 0,
        sleep: (durationMs: number) => {
          sleeps.push(durationMs);
          if (sleeps.length === 3) stop.abort();
          return Promise.resolve();
        },
      },
      random: { next: () => 0 },
      log: silentLog,
      secrets: { identity: { workspace: "fleet", membership } },
      link: { onRefusal: () => () => undefined },
    } as unknown as AgentContext;
    const credentials = createCredentials(context, { signal, onDead: () => undefined, onMoved: () => undefined });
    await credentials.keepRenewing(signal);
    expect(sleeps).toEqual([ms, ms, ms]);
  });

  it.each([
    { life: "none", issuedAt: "2027-01-01T00:00:00Z", expiresAt: "2027-01-01T00:00:00Z" },
    { life: "less than none", issuedAt: "2027-01-02T00:00:00Z", expiresAt: "2027-01-01T00:00:00Z" },
    { life: "one that cannot be read", issuedAt: "2027-01-01T00:00:00Z", expiresAt: "soon" },
  ])("A145 does not ask again and again where the hub gives credentials of a life that is $life", async (times) => {
    const stop = new AbortController();
    const { signal } = stop;
    const sleeps: number[] = [];
    const clock = { nowMs: () => sleeps.reduce((sum, ms) => sum + ms, 0) };
    const asked: number[] = [];
    const membership = { clusterName: "eu-1", heartbeatPeriodSeconds: 60, credential: { ...times, number: 1 } };
    const context = {
      state: createAgentState(),
      clock: {
        ...clock,
        sleep: (durationMs: number) => {
          sleeps.push(durationMs);
          return Promise.resolve();
        },
      },
      random: { next: () => 0 },
      log: silentLog,
      secrets: {
        identity: {
          workspace: "fleet",
          membership: { ...membership, credential: { ...membership.credential, receivedAtMs: 0 } },
        },
        changeIdentity: () => {
          asked.push(clock.nowMs());
          stop.abort();
          return Promise.reject(new Error("the test ends here"));
        },
      },
      link: { onRefusal: () => () => undefined },
    } as unknown as AgentContext;
    const credentials = createCredentials(context, { signal, onDead: () => undefined, onMoved: () => undefined });
    await expect(credentials.keepRenewing(signal)).rejects.toThrow("aborted");
    expect(asked).toEqual([400_000]);
  });
});
