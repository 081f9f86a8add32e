import { describe, expect, it } from "vitest";
import { readRequest } from "../../../../../src/join/clusternet/hub/registration-request.ts";
import { workspace } from "../../hub-scene.ts";
import { id, requestOf } from "../clusternet-scene.ts";
import type { AskedOfClusternet } from "../clusternet-scene.ts";

describe("readRequest: the request of a Clusternet agent", () => {
  it("has who asks and what it proposes, without what names its token", () => {
    const labels = { "rollcall.dev/workspace": workspace, "rollcall.dev/token": "door", env: "dev" };
    const spec = { clusterType: "EdgeCluster", syncMode: "Dual" };
    expect(readRequest(requestOf({ spec, labels }))).toEqual({
      name: `clusternet-${id}`,
      uid: "uid-1",
      clusterId: id,
      clusterName: "eu-1",
      clusterType: "EdgeCluster",
      syncMode: "Dual",
      labels: { env: "dev" },
    });
  });

  it("is pulled by its agent, of no type and without a uid, where it does not declare them", () => {
    expect(readRequest(requestOf({ metadata: { uid: undefined } }))).toMatchObject({
      uid: "",
      clusterType: "",
      syncMode: "Pull",
    });
  });

  it.each<[string, AskedOfClusternet, string]>([
    ["no id", { spec: { clusterId: undefined } }, "no id of a cluster"],
    ["an id that is none", { spec: { clusterId: "eu-1" } }, "no id of a cluster"],
    ["the name of another id", { metadata: { name: "clusternet-x" } }, `not named clusternet-${id}`],
    ["no cluster", { spec: { clusterName: undefined } }, "--cluster-reg-name"],
    ["a cluster with a dot", { spec: { clusterName: "a.b" } }, "--cluster-reg-name"],
    ["no workspace", { labels: { "rollcall.dev/token": "door" } }, "--cluster-labels=rollcall.dev/workspace"],
    ["an empty workspace", { labels: { "rollcall.dev/workspace": "" } }, "--cluster-labels=rollcall.dev/workspace"],
  ])("is refused with %s, and the message names what to do", (_what, asked, message) => {
    expect(readRequest(requestOf(asked))).toContain(message);
  });

  it.each([
    ["a type of a megabyte", { clusterType: "x".repeat(1_000_000) }, "more than 63 characters"],
    ["a mode that is none", { syncMode: "x" }, "none of Push, Pull, Dual"],
  ])("A159 is refused with %s, which the hub cannot remember", (_what, spec, message) => {
    expect(readRequest(requestOf({ spec }))).toContain(message);
  });
});
