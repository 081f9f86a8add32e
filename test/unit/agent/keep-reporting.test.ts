import { describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import type { AgentState } from "../../../src/agent/agent-state.ts";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { keepReporting, readReport } from "../../../src/agent/keep-reporting.ts";
import { recordReport } from "../../../src/agent/follow-report.ts";
import { silentLog } from "../../../src/core/log.ts";
import { objectAt } from "../../../src/core/read-json.ts";
import type { ListOptions } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const node: KubeObject = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "a" },
  status: { conditions: [{ type: "Ready", status: "True" }], capacity: { cpu: "4" }, images: [{ names: ["app:1"] }] },
};

/**
 * An agent of a cluster with so many nodes, and with an API server that answers so; 200 where it names none. `lists`: how often
 * the nodes were listed.
 */
function open(count: number, answers: Readonly<Record<string, number | undefined>> = {}) {
  const clock = createManualClock();
  const held: KubeObject[] = [];
  const scene: { lists: number; paths: string[] } = { lists: 0, paths: [] };
  const downstreamApi = {
    getRaw: (path: string) => {
      scene.paths.push(path);
      return Promise.resolve({ status: answers[path] ?? 200, text: "{}" });
    },
    get: () => Promise.resolve(undefined),
    list: (_: unknown, { hold = (object) => object }: ListOptions) => {
      scene.lists += 1;
      held.splice(0, held.length, ...Array.from({ length: count }, () => hold(node)));
      return Promise.resolve({ items: held, resourceVersion: "1" });
    },
  };
  const context = {
    downstreamApi,
    clock,
    state: createAgentState(),
    settings: { version: "0.1.0", namespace: "rollcall-agent" },
    secrets: { identity: { epoch: 1, membership: { credential: { number: 1 } } } },
  } as unknown as AgentContext;
  return { clock, held, scene, read: () => readReport(context, new AbortController().signal) };
}

/** A joined agent that reports to `api`. */
function reporting({ state, api, sleep, nodes }: Reporting): AgentContext {
  return {
    state,
    downstreamApi: {
      getRaw: () => Promise.resolve({ status: 200, text: "{}" }),
      get: () => Promise.resolve(undefined),
      list: () => Promise.resolve({ items: nodes, resourceVersion: "1" }),
    },
    clock: { nowMs: () => 0, monotonicMs: () => 0, sleep },
    random: { next: () => 0 },
    log: silentLog,
    settings: { version: "0.1.0", namespace: "rollcall-agent" },
    secrets: {
      identity: { workspace: "fleet", epoch: 1, membership: { clusterName: "eu-1", credential: { number: 1 } } },
    },
    link: { call: (work: (hub: object) => Promise<unknown>) => work(api) },
  } as unknown as AgentContext;
}

interface Reporting {
  readonly state: AgentState;
  readonly api: object;
  readonly sleep: () => Promise<void>;
  readonly nodes: readonly KubeObject[];
}

describe("readReport", () => {
  it.each([
    { count: 3, lists: 120 },
    { count: 450, lists: 120 },
    { count: 5000, lists: 12 },
  ])("lists $count nodes $lists times an hour, and reports them each time", async ({ count, lists }) => {
    const { clock, scene, read } = open(count);
    for (let look = 0; look < 120; look += 1) {
      expect((await read()).nodes).toEqual({ total: count, ready: count, notReady: 0, unknown: 0 });
      await clock.advance(30_000);
    }
    expect(scene.lists).toBe(lists);
  });

  it.each([
    { answers: {}, health: { livez: true, readyz: true }, paths: ["/version", "/readyz"] },
    {
      answers: { "/readyz": 500 },
      health: { livez: true, readyz: false },
      paths: ["/version", "/readyz", "/livez"],
    },
    {
      answers: { "/readyz": 500, "/livez": 500 },
      health: { livez: false, readyz: false },
      paths: ["/version", "/readyz", "/livez"],
    },
  ])("asks $paths of an API server that answers $answers", async ({ answers, health, paths }) => {
    const { scene, read } = open(1, answers);
    expect((await read()).health).toEqual(health);
    expect(scene.paths).toEqual(paths);
  });

  it("holds no whole node, of which a large cluster has thousands", async () => {
    const { held, read } = open(1);
    const { nodes, resources } = await read();
    expect([nodes, resources?.capacity]).toEqual([{ total: 1, ready: 1, notReady: 0, unknown: 0 }, { cpu: "4" }]);
    expect(JSON.stringify(held)).not.toContain("images");
  });
});

describe("keepReporting", () => {
  it.each([
    { reason: "asked and got no answer", spec: { renewal: { nonce: 4, credential: 1 } }, unanswered: 1 },
    { reason: "asked for nothing", spec: {}, unanswered: undefined },
  ])("remembers what an earlier process $reason", async ({ spec, unanswered }) => {
    const stop = new AbortController();
    const metadata = { name: "eu-1", uid: "a" };
    const state = createAgentState();
    const api = {
      get: () => Promise.resolve({ metadata, spec }),
      mergePatch: () => {
        stop.abort();
        return Promise.resolve({ metadata });
      },
    };
    const sleep = () => Promise.reject(new Error("stopped"));
    await keepReporting(reporting({ state, api, sleep, nodes: [] }), stop.signal);
    expect(state.unanswered).toBe(unanswered);
  });

  it("reports again what a hub lost that was restored from an older copy with the same report", async () => {
    const stop = new AbortController();
    const state = createAgentState();
    const metadata = { name: "eu-1", uid: "a" };
    const older = { metadata, spec: { agentVersion: "0.1.0" } };
    let report: KubeObject = { apiVersion: "", kind: "", ...older };
    const written: string[][] = [];
    const api = {
      get: () => Promise.resolve(report),
      mergePatch: (_: unknown, { spec }: { readonly spec: object }) => {
        written.push(Object.keys(spec).filter((key) => key !== "time"));
        report = { ...report, spec: { ...objectAt(report, "spec"), ...spec } };
        recordReport(state, report);
        return Promise.resolve(report);
      },
    };
    let sleeps = 0;
    const sleep = () => {
      sleeps += 1;
      // Between the second read and the third.
      if (sleeps === 2) report = { apiVersion: "", kind: "", ...older };
      if (sleeps === 2) recordReport(state, report);
      if (sleeps === 4) stop.abort();
      return Promise.resolve();
    };
    await keepReporting(reporting({ state, api, sleep, nodes: [node] }), stop.signal);
    expect(written).toHaveLength(2);
    expect(written[1]).toEqual(written[0]);
    expect(written[1]).toContain("nodes");
  });
});
