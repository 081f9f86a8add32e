import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { createCredentials } from "../../../src/agent/credentials.ts";
import type { ErrorCode } from "../../../src/core/error-codes.ts";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const signing = {
  public: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
  private: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
};
const credential = { number: 1, issuedAt: "2027-01-01T00:00:00Z", expiresAt: "2027-01-02T00:00:00Z", receivedAtMs: 0 };
const membership = { clusterName: "rome", recoveryToken: "recovery-of-rome", credential };
const identity = { keys: { signing }, hubId: "sha256:0", workspace: "west", lastNonce: 3, membership };
const former = { workspace: "east", membership: { ...membership, clusterName: "nice", recoveryToken: "of-nice" } };

interface Hub {
  /** What the hub answers each credential with; unset: it accepts it. */
  readonly working?: ErrorCode;
  readonly recovery?: ErrorCode;
  readonly former?: ErrorCode;
  readonly isFormerKnown?: boolean;
  readonly values?: "values" | "none" | "incomplete";
}

/** What an agent does once the hub has refused its working credential. */
async function afterRefusal({ working, recovery, former: ofFormer, isFormerKnown = false, values = "none" }: Hub) {
  const seen: string[] = [];
  const stop = new AbortController();
  const listener: { refuse?: () => void } = {};
  const answer = (code: ErrorCode | undefined): Promise<undefined> =>
    code === undefined ? Promise.resolve(undefined) : Promise.reject(new AppError(code, "asked"));
  const secrets = {
    identity: (isFormerKnown ? { ...identity, former } : identity) as object,
    changeIdentity: (change: (held: object) => object) =>
      Promise.resolve((secrets.identity = change(secrets.identity))),
    readValues: () => Promise.resolve({ kind: values }),
  };
  const finished = new Promise<void>((resolve) => {
    const context = {
      state: createAgentState(),
      clock: { nowMs: () => 0, monotonicMs: () => 1, sleep: () => Promise.resolve() },
      random: { next: () => 0 },
      log: { ...silentLog, warn: () => resolve(), error: () => undefined },
      secrets,
      link: {
        onRefusal: (refuse: () => void) => {
          listener.refuse = refuse;
          return () => undefined;
        },
        call: (_: unknown, options: { readonly credential?: string }) => {
          seen.push(options.credential ?? "working");
          return answer(options.credential === undefined ? working : recovery);
        },
        readPublic: () => Promise.resolve(false),
        bootstrap: (_: unknown, token: string) => ({
          api: { get: () => answer(ofFormer).then(() => seen.push(token)) },
          close: () => Promise.resolve(),
        }),
      },
    } as unknown as AgentContext;
    createCredentials(context, {
      signal: stop.signal,
      onDead: () => void seen.push("dead"),
      onMoved: () => void seen.push("moved"),
    });
    listener.refuse?.();
    // A second refusal, while the agent checks the first one, is the same one.
    listener.refuse?.();
  });
  if (working !== undefined) await finished;
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  listener.refuse?.();
  return seen;
}

describe("an agent whose working credential was refused", () => {
  it.each<{ reason: string; hub: Hub; expected: readonly string[] }>([
    { reason: "keeps one that is accepted after all", hub: {}, expected: ["working"] },
    {
      reason: "asks for none by the recovery credential where the hub is ill",
      hub: { working: "E_KUBE_SERVER" },
      expected: ["working"],
    },
    {
      reason: "joins anew by values, where the recovery credential is refused too",
      hub: { working: "E_KUBE_UNAUTHORIZED", recovery: "E_KUBE_FORBIDDEN", values: "values" },
      expected: ["working", "recovery", "dead"],
    },
    {
      reason: "throws nothing away where there are no values",
      hub: { working: "E_KUBE_UNAUTHORIZED", recovery: "E_KUBE_UNAUTHORIZED" },
      expected: ["working", "recovery"],
    },
    {
      reason: "throws nothing away where the values are not whole",
      hub: { working: "E_KUBE_UNAUTHORIZED", recovery: "E_KUBE_UNAUTHORIZED", values: "incomplete" },
      expected: ["working", "recovery"],
    },
    {
      reason: "throws nothing away where the hub does not answer the recovery credential",
      hub: { working: "E_KUBE_FORBIDDEN", recovery: "E_KUBE_UNREACHABLE", values: "values" },
      expected: ["working", "recovery"],
    },
    {
      reason: "goes back to what it was before a move, where that credential is accepted",
      hub: { working: "E_KUBE_FORBIDDEN", recovery: "E_KUBE_FORBIDDEN", values: "values", isFormerKnown: true },
      expected: ["working", "recovery", "of-nice", "moved"],
    },
    {
      reason: "joins anew where that credential is refused, too",
      hub: {
        ...{ working: "E_KUBE_FORBIDDEN", recovery: "E_KUBE_FORBIDDEN", former: "E_KUBE_FORBIDDEN" },
        ...{ values: "values", isFormerKnown: true },
      },
      expected: ["working", "recovery", "dead"],
    },
  ])("$reason", async ({ hub, expected }) => {
    expect(await afterRefusal(hub)).toEqual(expected);
  });
});
