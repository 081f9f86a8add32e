import { afterEach, describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import type { AgentDependencies } from "../../../src/agent/agent-dependencies.ts";
import type { AgentSecrets } from "../../../src/agent/agent-secrets.ts";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { followReport } from "../../../src/agent/follow-report.ts";
import { HubLink } from "../../../src/agent/hub-link.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { silentLog } from "../../../src/core/log.ts";

interface Following {
  isAway: boolean;
  readonly onError: (error: unknown) => void;
  readonly onObject: (report: KubeObject | undefined) => void;
}

describe("followReport", () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

  /** An agent that follows its report: `lose` breaks what it follows by, `heartbeat` is a call that the hub answers. */
  function follow() {
    const [clock, stopping] = [createManualClock(), new AbortController()];
    const followings: Following[] = [];
    const identity = {
      epoch: 2,
      hubId: "sha256:1",
      workspace: "fleet",
      endpoints: [{ url: "https://hub.example", caBundle: "" }],
      membership: { clusterName: "eu-1", credential: { token: "working", number: 1 } },
    };
    const dependencies = {
      connectHub: () => ({ close: async () => undefined }) as unknown as KubeApi,
      followObject: (_api, _ref, { onError, onObject }) => {
        const following = { isAway: false, onError, onObject, stop: async () => undefined };
        followings.push(following);
        return following;
      },
      clock,
      random: fixedRandom(),
      log: silentLog,
      signal: stopping.signal,
    } as Partial<AgentDependencies> as AgentDependencies;
    const secrets = { identity } as unknown as AgentSecrets;
    const link = new HubLink(dependencies, secrets);
    const context: AgentContext = { ...dependencies, secrets, link, state: createAgentState() };
    const { signal } = stopping;
    const nothing = (): void => undefined;
    const done = followReport(context, { signal, onLeft: nothing, onMoved: nothing });
    ends.push(async () => {
      stopping.abort();
      await done;
    });
    return {
      followings,
      state: context.state,
      show: async (report: KubeObject) => {
        followings.at(-1)?.onObject(report);
        await clock.advance(0);
      },
      lose: (isAway: boolean) => {
        const following = followings.at(-1);
        if (following === undefined) throw new Error("nothing is followed");
        following.isAway = isAway;
        following.onError(new AppError("E_KUBE_UNREACHABLE", "reset"));
      },
      heartbeat: async () => {
        await link.call(async () => undefined, { signal });
        await clock.advance(0);
      },
    };
  }

  it("follows anew with the first heartbeat that finds a hub that was away, also when no heartbeat failed", async () => {
    const { followings, lose, heartbeat } = follow();
    lose(true);
    await heartbeat();
    expect(followings).toHaveLength(2);
    await heartbeat();
    expect(followings).toHaveLength(2);
  });

  it("leaves a watch that broke, while the hub was there, to itself", async () => {
    const { followings, lose, heartbeat } = follow();
    lose(false);
    await heartbeat();
    expect(followings).toHaveLength(1);
  });

  it.each([
    { what: "without an epoch", leave: { policy: "Uninstall" }, isObeyed: false },
    { what: "of an older copy of the hub", leave: { policy: "Uninstall", epoch: 1 }, isObeyed: false },
    { what: "that keeps the agent", leave: { policy: "Retain", epoch: 2 }, isObeyed: false },
    { what: "of the hub as it is", leave: { policy: "Uninstall", epoch: 2 }, isObeyed: true },
    { what: "of a hub that was restored since", leave: { policy: "Uninstall", epoch: 3 }, isObeyed: true },
  ])("obeys an order to leave $what: $isObeyed", async ({ leave, isObeyed }) => {
    const { show, state } = follow();
    const metadata = { name: "eu-1", namespace: "fleet", uid: "u" };
    const status = { leave: { commit: "abc", ...leave } };
    await show({ apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterReport", metadata, status });
    expect(state.isLeaving).toBe(isObeyed);
  });
});
