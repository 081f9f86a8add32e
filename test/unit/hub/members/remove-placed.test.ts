import { describe, expect, it } from "vitest";
import { removePlaced } from "../../../../src/hub/members/remove-placed.ts";
import type { LeaveStep } from "../../../../src/join/join.ts";
import type { PlacedRemoval } from "../../../../src/model/member-state.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { clusterOf } from "../objects.ts";
import { startMs } from "../../join/hub-scene.ts";
import { openMemberWorld } from "./member-world.ts";

const home = "fleet-member-eu-1";
const ref = { type: resourceTypes.work, namespace: home, name: "web" };
const time = new Date(startMs).toISOString().replace(".000", "");
const name = `Work.placement.kubernetes-fleet.io/${home}/web`;
const held = ["kubernetes-fleet.io/work-cleanup"];

interface Given {
  readonly finalizers?: readonly string[];
  readonly placed?: PlacedRemoval;
  readonly step?: Partial<Extract<LeaveStep, { kind: "remove-placed" }>>;
}

/** One run over a Work, and what was asked and recorded meanwhile, in order. */
async function run({ finalizers = held, placed, step = {} }: Given) {
  const world = await openMemberWorld();
  await world.put({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: home,
      labels: { "rollcall.dev/cluster": "eu-1", "rollcall.dev/owner-workspace": "fleet" },
    },
  });
  const work = { apiVersion: "placement.kubernetes-fleet.io/v1beta1", kind: "Work" };
  await world.put({ ...work, metadata: { namespace: home, name: "web", finalizers: [...finalizers] } });
  await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state: {} });
  const { write } = world.scopeOf("eu-1", "kubefleet");
  const done: unknown[] = [];
  const asked: string[] = [];
  const leave = { commit: "c", since: time, ...(placed === undefined ? {} : { placed }) };
  const waitMs = await removePlaced(
    { ...world.ports, write },
    { kind: "remove-placed", refs: [ref], isReleased: false, isDone: false, untilMs: startMs + 1, ...step },
    {
      member: { workspace: "fleet", name: "eu-1", cluster: clusterOf("eu-1"), state: { leave }, children: [] },
      record: (recorded) => {
        asked.push(...world.asked());
        world.requests.length = 0;
        done.push(recorded.placed);
        return Promise.resolve();
      },
      reportLeft: (names) => Promise.resolve(void done.push(names)),
    },
  );
  return { waitMs, done, before: asked, after: world.asked(), isThere: world.ports.view.get(ref) !== undefined };
}

describe("removePlaced", () => {
  it("records when it begins before it deletes anything, and keeps what a finalizer holds in view", async () => {
    expect(await run({})).toEqual({
      waitMs: 1000,
      done: [{ since: time, names: [name] }],
      before: [],
      after: ["delete Work/web"],
      isThere: true,
    });
  });

  it("removes finalizers where no agent waits by them", async () => {
    const { after, isThere } = await run({ step: { isReleased: true } });
    expect(after).toEqual(["patch Work/web", "delete Work/web"]);
    expect(isThere).toBe(false);
  });

  const placed = { since: "2030-01-01T00:00:00Z", names: ["Work/a"], heartbeatMarker: "m" };

  it("is over when the agent has removed what it applied", async () => {
    const { waitMs, done } = await run({ placed, step: { refs: [], isDone: true } });
    expect([waitMs, done]).toEqual([0, [{ ...placed, overAt: time }]]);
  });

  it.each([
    ["what is left on the hub", {}, [name]],
    ["what was deleted, where nothing is left on the hub", { refs: [] }, ["Work/a"]],
  ])("names %s, when the time is over", async (_what, step, names) => {
    const { waitMs, done } = await run({ placed, step: { ...step, untilMs: startMs } });
    expect([waitMs, done]).toEqual([0, [names, { ...placed, overAt: time }]]);
  });
});
