import { describe, expect, it } from "vitest";
import type { HubView } from "../../../src/hub/hub-view.ts";
import { statesWithoutCluster } from "../../../src/hub/state-without-cluster.ts";
import type { ObjectRef } from "../../../src/model/kubernetes.ts";
import { memberStateName } from "../../../src/model/member-state.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { coreObject } from "./objects.ts";

const state = (name: string, label = name) =>
  coreObject("ConfigMap", memberStateName(name), { labels: { [labelKeys.cluster]: label } });
const view = {
  list: () => [
    state("there"),
    state("lost"),
    state("lost", "another"),
    coreObject("ConfigMap", memberStateName("unlabelled")),
    coreObject("ConfigMap", "other", { labels: { [labelKeys.cluster]: "other" } }),
  ],
  get: ({ name, namespace }: ObjectRef) => (name === "there" && namespace === "fleet" ? {} : undefined),
} as unknown as HubView;

describe("statesWithoutCluster", () => {
  it.each([
    { workspace: "fleet", names: ["lost"] },
    { workspace: "elsewhere", names: ["there", "lost"] },
  ])("names those of $workspace whose name and label agree, and that have no Cluster", ({ workspace, names }) => {
    expect(statesWithoutCluster(view, workspace)).toEqual(names);
  });
});
