import { describe, expect, it } from "vitest";
import { recordLeftBehind } from "../../../../src/hub/members/left-behind.ts";
import type { KubeApi } from "../../../../src/kube/kube.ts";
import { labelKeys } from "../../../../src/model/well-known.ts";
import { hubFacts, startMs } from "../../join/hub-scene.ts";
import { clusterOf } from "../objects.ts";

const time = new Date(startMs).toISOString().replace(/\.\d+Z$/u, "Z");
const signal = new AbortController().signal;

async function record(label: string, { before = [] as object[], isThere = true, left = ["Namespace/apps"] } = {}) {
  const asked: string[] = [];
  const patches: unknown[] = [];
  const hubApi = {
    get: (ref: { namespace: string; name: string }) => {
      asked.push(`${ref.namespace}/${ref.name}`);
      const live = { metadata: { name: ref.name, resourceVersion: "7" }, status: { leftBehind: before } };
      return Promise.resolve(isThere ? live : undefined);
    },
    mergePatch: (...call: unknown[]) => Promise.resolve(void patches.push(call[1])),
  } as unknown as KubeApi;
  const cluster = clusterOf("eu-1", { metadata: { labels: { [labelKeys.repository]: label } } });
  const member = { workspace: "fleet", name: "eu-1", cluster, state: undefined, children: [] };
  await recordLeftBehind({ hubApi, hubFacts: () => hubFacts() }, member, { left, signal });
  return { asked, patches };
}

const entry = (cluster: string, remains = "Namespace/apps") => ({ cluster, time, remains });

describe("recordLeftBehind", () => {
  it.each(["", "elsewhere.fleet"])("asks nothing for a cluster of repository label %j", async (label) => {
    expect(await record(label)).toEqual({ asked: [], patches: [] });
  });

  it("writes nothing when the Repository is deleted", async () => {
    const { asked, patches } = await record("rollcall-system.fleet", { isThere: false });
    expect([asked, patches]).toEqual([["rollcall-system/fleet"], []]);
  });

  it.each([
    { reason: "the first", before: [], expected: [entry("fleet/eu-1")] },
    {
      reason: "the newest first, in the place of an older one of the same cluster",
      before: [entry("fleet/us-1"), entry("fleet/eu-1", "old")],
      expected: [entry("fleet/eu-1"), entry("fleet/us-1")],
    },
    {
      reason: "twenty at most",
      before: Array.from({ length: 20 }, (_, index) => entry(`fleet/c${index}`)),
      expected: [entry("fleet/eu-1"), ...Array.from({ length: 19 }, (_, index) => entry(`fleet/c${index}`))],
    },
  ])("records $reason, at the version that was read", async ({ before, expected }) => {
    const { patches } = await record("rollcall-system.fleet", { before });
    expect(patches).toEqual([{ metadata: { resourceVersion: "7" }, status: { leftBehind: expected } }]);
  });

  it("cuts a long list at 1024 characters", async () => {
    const { patches } = await record("rollcall-system.fleet", { left: ["x".repeat(2000), "y"] });
    expect(patches).toMatchObject([{ status: { leftBehind: [{ remains: "x".repeat(1024) }] } }]);
  });
});
