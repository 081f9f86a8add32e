import { describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { standBy } from "../../../src/agent/stand-by.ts";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";

const identity = { workspace: "fleet", membership: { clusterName: "eu-1", credential: { number: 1 } } };

/**
 * A replica on a clock that does not wait; it gives up after ten tries. `identities`: what is read, try after try; `refused`: the
 * one whose credential the hub does not accept.
 */
async function stand(
  identities: readonly (object | undefined)[],
  errors: readonly (Error | undefined)[] = [],
  { refused }: { readonly refused?: object } = {},
) {
  const stopping = new AbortController();
  const state = createAgentState();
  const writes: unknown[] = [];
  let sleeps = 0;
  const clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    sleep: () => {
      sleeps += 1;
      if (sleeps > 10) stopping.abort();
      return stopping.signal.aborted ? Promise.reject(new Error("stopped")) : Promise.resolve();
    },
  };
  const secrets = {
    identity: undefined as object | undefined,
    readIdentity: () => Promise.resolve((secrets.identity = identities[Math.min(sleeps, identities.length) - 1])),
  };
  const link = {
    call: (work: (api: object) => Promise<unknown>) =>
      work({
        mergePatch: (...call: unknown[]) => {
          writes.push(call[2]);
          const refusal = secrets.identity === refused ? new AppError("E_KUBE_UNAUTHORIZED", "patch") : undefined;
          const error = errors[writes.length - 1] ?? refusal;
          return error === undefined ? Promise.resolve({}) : Promise.reject(error);
        },
      }),
  };
  const downstreamApi = {
    getRaw: () => Promise.resolve("{}"),
    list: () => Promise.resolve({ items: [] }),
    get: () => Promise.resolve(undefined),
  };
  const context = {
    clock,
    random: { next: () => 0 },
    log: silentLog,
    signal: stopping.signal,
    state,
    secrets,
    link,
    downstreamApi,
    settings: { version: "1.0.0", namespace: "rollcall" },
  };
  await standBy(context as unknown as AgentContext);
  return { hasReported: state.hasReported, sleeps, writes };
}

describe("standBy", () => {
  it("is ready once the hub has checked a report, and writes none", async () => {
    const { hasReported, writes } = await stand([identity]);
    expect([hasReported, writes]).toEqual([true, [expect.objectContaining({ isDryRun: true })]]);
  });

  it.each([
    {
      reason: "the leader has not joined",
      identities: [undefined, { workspace: "fleet" }, identity],
      errors: [],
      sleeps: 3,
    },
    {
      reason: "the hub refuses",
      identities: [identity],
      errors: [new AppError("E_KUBE_FORBIDDEN", "patch")],
      sleeps: 2,
    },
  ])("tries again while $reason", async ({ identities, errors, sleeps }) => {
    expect(await stand(identities, errors)).toMatchObject({ hasReported: true, sleeps });
  });

  it("is ready by the credential of now where the leader has renewed the one that it began with", async () => {
    const renewed = { workspace: "fleet", membership: { clusterName: "eu-1", credential: { number: 2 } } };
    const { hasReported, writes } = await stand(
      [identity, renewed],
      Array.from({ length: 10 }, (_, index) => (index === 0 ? new AppError("E_KUBE_UNREACHABLE", "patch") : undefined)),
      { refused: identity },
    );
    expect([hasReported, writes.length]).toEqual([true, 2]);
  });

  it("ends when it is stopped, and is not ready", async () => {
    expect(await stand([undefined])).toMatchObject({ hasReported: false, writes: [], sleeps: 11 });
  });
});
