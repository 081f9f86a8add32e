import { describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { rollOut } from "../../../src/agent/roll-out.ts";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { AgentIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import { manifestDigestOf } from "../../../src/join/rollcall/downstream/own-manifest.ts";
import { renderManifest } from "../../../src/join/rollcall/manifests/agent-manifest.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";

const namespace = "rollcall-agent";
const manifest = renderManifest({ namespace, image: "rollcall:0.2.0", settings: {}, deadlineSeconds: 300 });
const offer = { digest: manifest.digest, configMap: "eu-1" };
const installed: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "rollcall-agent", namespace, annotations: { "rollcall.dev/manifest-digest": "sha256:before" } },
};

/**
 * An agent that is offered the manifest; `failures`: those of its first calls that apply something; `labels`: of its namespace.
 */
function open(failures: readonly Error[] = [], { offered: { text } = manifest, labels = {} } = {}) {
  const clock = { atMs: 1_000_000, setByMs: 0 };
  const applied: (string | undefined)[] = [];
  const cluster = { live: installed };
  const secrets = {
    identity: { workspace: "east" } as AgentIdentity,
    changeIdentity: (change: (held: AgentIdentity | undefined) => AgentIdentity) =>
      Promise.resolve((secrets.identity = change(secrets.identity))),
  };
  const downstreamApi = {
    get: ({ type }: ObjectRef) =>
      Promise.resolve(type === resourceTypes.namespace ? { metadata: { labels } } : cluster.live),
    apply: (deployment: KubeObject) => {
      applied.push(manifestDigestOf(deployment));
      const failure = failures[applied.length - 1];
      if (failure !== undefined) return Promise.reject(failure);
      return Promise.resolve((cluster.live = deployment));
    },
  };
  const api = { get: () => Promise.resolve({ data: { manifest: text } }) };
  const context = {
    clock: { nowMs: () => clock.atMs + clock.setByMs, monotonicMs: () => clock.atMs },
    state: createAgentState(),
    log: silentLog,
    settings: { namespace },
    link: { call: (work: (of: object) => Promise<unknown>) => work(api) },
    secrets,
    downstreamApi,
  } as unknown as AgentContext;
  const look = (offered = offer) => rollOut(context, offered, new AbortController().signal);
  /** The same agent after a restart. */
  const restart = () => void (context.state.watchedRollout = undefined);
  return { clock, applied, secrets, look, restart };
}

describe("rollOut", () => {
  it("applies what is offered once, and checks again until it is ready", async () => {
    const { look, applied } = open();
    expect([await look(), await look()]).toEqual([5000, 5000]);
    expect(applied).toEqual([offer.digest]);
  });

  it("applies it again where that failed, or the process ended before it", async () => {
    const { look, applied, secrets } = open([new AppError("E_KUBE_SERVER", "apply")]);
    await expect(look()).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
    expect(secrets.identity.rollout?.digest).toBe(offer.digest);
    await look();
    expect(applied).toEqual([offer.digest, offer.digest]);
  });

  it("gives up what could not be applied until its deadline, which no further try moves", async () => {
    const { look, applied, clock, secrets } = open(Array(3).fill(new AppError("E_KUBE_INVALID", "apply")) as Error[]);
    for (const _ of [1, 2, 3]) {
      await expect(look()).rejects.toMatchObject({ code: "E_KUBE_INVALID" });
      clock.atMs += 100_000;
    }
    await look();
    expect(applied).toEqual([offer.digest, offer.digest, offer.digest, "sha256:before"]);
    expect(secrets.identity.refused?.digest).toBe(offer.digest);
  });

  it("counts the time that it watched: a machine that was suspended or set has not run out of it", async () => {
    const { look, applied, clock, secrets } = open();
    await look();
    for (const setByMs of [86_400_000, -86_400_000]) {
      clock.setByMs = setByMs;
      clock.atMs += 100_000;
      expect(await look()).toBe(5000);
    }
    clock.atMs += 100_000;
    await look();
    expect(applied).toEqual([offer.digest, "sha256:before"]);
    expect(secrets.identity.refused?.digest).toBe(offer.digest);
  });

  it("keeps the deadline over a restart", async () => {
    const { look, applied, clock, restart } = open();
    await look();
    clock.atMs += 200_000;
    restart();
    expect(await look()).toBe(5000);
    clock.atMs += 100_000;
    await look();
    expect(applied).toEqual([offer.digest, "sha256:before"]);
  });

  it("tries what it refused again when it is offered after the version that runs", async () => {
    const { look, applied, clock, secrets } = open();
    await look();
    clock.atMs += 300_000;
    await look();
    expect(await look()).toBeUndefined();
    await look({ digest: "sha256:before", configMap: "eu-1" });
    expect(secrets.identity.refused).toBeUndefined();
    expect(await look()).toBe(5000);
    expect(applied).toEqual([offer.digest, "sha256:before", offer.digest]);
  });

  it.each([
    { level: "restricted", isApplied: false },
    { level: "baseline", isApplied: false },
    { level: "privileged", isApplied: true },
    { level: undefined, isApplied: true },
  ])("moves into the node's network where its namespace admits that: at level $level", async ({ level, isApplied }) => {
    const settings = { hostNetwork: true };
    const offered = renderManifest({ namespace, image: "rollcall:0.2.0", settings, deadlineSeconds: 300 });
    const labels = level === undefined ? {} : { "pod-security.kubernetes.io/enforce": level };
    const { look, applied, secrets } = open([], { offered, labels });
    expect(await look({ digest: offered.digest, configMap: "eu-1" })).toBe(isApplied ? 5000 : 300_000);
    expect(applied).toEqual(isApplied ? [offered.digest] : []);
    expect(secrets.identity.rollout?.digest).toBe(isApplied ? offered.digest : undefined);
  });
});
