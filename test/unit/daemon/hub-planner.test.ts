import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { hubPlannerInputs } from "../../../src/daemon/hub-planner.ts";
import type { HubPlannerOptions } from "../../../src/daemon/hub-planner.ts";

function inputsOf(more: Partial<HubPlannerOptions> = {}) {
  const memberStateOf = (workspace: string, name: string) =>
    `${workspace}/${name}` === "fleet/a" ? { labels: { token: { team: "red" } } } : undefined;
  return hubPlannerInputs({
    hubApi: {},
    git: {},
    view: { memberStateOf },
    repository: () => undefined,
    namespace: "rollcall-system",
    rehearsal: {},
    log: silentLog,
    ...more,
  } as unknown as HubPlannerOptions);
}

describe("the inputs of plans against a hub", () => {
  it("have the labels that token and agent gave a cluster, by which rules select it", () => {
    const { rememberedLabels } = inputsOf();
    expect(rememberedLabels("fleet", "a")).toEqual({ token: { team: "red" } });
    expect(rememberedLabels("fleet", "b")).toBeUndefined();
    expect(rememberedLabels("other", "a")).toBeUndefined();
  });

  it("observe the hub's view", () => {
    const view = { memberStateOf: () => undefined } as unknown as HubPlannerOptions["view"];
    expect(inputsOf({ view }).observed).toBe(view);
  });
});
