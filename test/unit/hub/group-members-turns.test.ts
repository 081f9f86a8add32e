import { setImmediate } from "node:timers";
import { describe, expect, it } from "vitest";
import { GroupMembers } from "../../../src/hub/group-members.ts";
import type { HubView, ViewChange } from "../../../src/hub/hub-view.ts";
import type { ClusterGroup } from "../../../src/model/generated/cluster-group.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { ClusterSelector } from "../../../src/model/selector.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const namespace = "prod";
const { signal } = new AbortController();

/** Many groups with the same selector, or with none. */
function groupsOf(count: number, selector: ClusterSelector | undefined): ClusterGroup[] {
  return Array.from({ length: count }, (_, at) => {
    const metadata = { name: `g${at}`, namespace, uid: `g${at}`, generation: 1 };
    return { metadata, ...(selector === undefined ? {} : { spec: { selector } }) } as unknown as ClusterGroup;
  });
}

function viewOf(count: number) {
  const clusters = new Map<string, KubeObject>(
    Array.from({ length: count }, (_, at) => {
      const metadata = { name: `c${at}`, namespace };
      return [`c${at}`, { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata }];
    }),
  );
  const view = {
    list: () => [...clusters.values()],
    get: ({ name }: { readonly name: string }) => clusters.get(name),
    subscribe: (_: (change: ViewChange) => void) => () => undefined,
  };
  return view as unknown as HubView;
}

/** How often other work of the event loop ran until the members were found. */
async function turnsOf(members: GroupMembers, groups: readonly ClusterGroup[]): Promise<number> {
  let turns = 0;
  let isDone = false;
  const work = (): void => {
    if (isDone) return;
    turns += 1;
    setImmediate(work);
  };
  setImmediate(work);
  await members.find(namespace, groups, signal);
  isDone = true;
  return turns;
}

const twice = (item: string): [string, string] => [item, item];

describe("other work of the process, while the members of groups are found", () => {
  it.each<{ reason: string; selector: ClusterSelector | undefined; parts: number }>([
    { reason: "no selector", selector: undefined, parts: 1 },
    { reason: "a selector of everything", selector: {}, parts: 1 },
    { reason: "names", selector: { names: ["a", "b", "c"] }, parts: 4 },
    { reason: "labels", selector: { matchLabels: { env: "a", tier: "b", site: "c" } }, parts: 4 },
    {
      reason: "expressions",
      selector: { matchExpressions: twice("env").map((key) => ({ key, operator: "Exists" as const })) },
      parts: 3,
    },
    {
      reason: "all of these",
      selector: {
        names: ["a"],
        matchLabels: { env: "a" },
        matchExpressions: twice("env").map((key) => ({ key, operator: "Exists" as const })),
      },
      parts: 5,
    },
  ])("runs after each hundred thousand comparisons, with groups of $reason", async ({ selector, parts }) => {
    const groups = groupsOf(500, selector);
    const clusters = Math.ceil(100_000 / (500 * parts));
    for (const [count, turns] of [
      [clusters - 1, 0],
      [clusters, 1],
      [2 * clusters, 2],
    ] as const)
      expect([count, await turnsOf(new GroupMembers(viewOf(count), createManualClock()), groups)]).toEqual([
        count,
        turns,
      ]);
  });
});
