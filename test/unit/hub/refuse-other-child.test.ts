import { describe, expect, it } from "vitest";
import { refuseOtherChild } from "../../../src/hub/refuse-other-child.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { coreObject } from "./objects.ts";

function childOf(labels: Record<string, string>, manager?: string): KubeObject {
  const object = coreObject("Secret", "a", { labels });
  const managedFields = [{ manager: manager ?? "", operation: "Apply" as const, fieldsV1: {} }];
  return manager === undefined ? object : { ...object, metadata: { ...object.metadata, managedFields } };
}

const ofEu = { "rollcall.dev/cluster": "eu-1" };
const ref = { type: resourceTypes.secret, namespace: "fleet", name: "a" };
const create = { kind: "create", ref, object: childOf(ofEu), manager: "rollcall-hub", fields: [] } as const;

describe("A78 refuseOtherChild", () => {
  it.each<{ reason: string; live: KubeObject; labelsToAdopt?: Record<string, string>; isWritten: boolean }>([
    { reason: "another program made", live: childOf({}), isWritten: false },
    { reason: "kubectl made", live: childOf({}, "kubectl"), isWritten: false },
    { reason: "another program made and the file adopts", live: childOf({}), labelsToAdopt: {}, isWritten: true },
    { reason: "belongs to another cluster", live: childOf({ "rollcall.dev/cluster": "us-1" }), isWritten: false },
    {
      reason: "belongs to another cluster, although the file adopts",
      live: childOf({ "rollcall.dev/cluster": "us-1" }),
      labelsToAdopt: {},
      isWritten: false,
    },
    { reason: "belongs to a token", live: childOf({ "rollcall.dev/token": "eu-1" }), isWritten: false },
    {
      reason: "belongs to a cluster of this name in another workspace",
      live: childOf({ ...ofEu, "rollcall.dev/owner-workspace": "other" }),
      isWritten: false,
    },
    { reason: "is its own", live: childOf(ofEu), isWritten: true },
    { reason: "lost the labels by hand", live: childOf({}, "rollcall-hub"), isWritten: true },
  ])("lets a child be created over an object that $reason: $isWritten", ({ live, isWritten, ...adoption }) => {
    const attempt = (): void => refuseOtherChild({ ...create, ...adoption }, live);
    if (isWritten) attempt();
    else expect(attempt).toThrow("create Secret/fleet/a: it exists and belongs to another");
  });

  it.each<{ what: string; labels: Record<string, string>; isWritten: boolean }>([
    { what: "without the labels", labels: {}, isWritten: false },
    { what: "with one of them", labels: { by: "agent" }, isWritten: false },
    { what: "with those of another cluster", labels: { by: "agent", id: "2" }, isWritten: false },
    { what: "with the labels", labels: { by: "agent", id: "1", team: "a" }, isWritten: true },
  ])("A262 lets a file take over what it may name freely $what: $isWritten", ({ labels, isWritten }) => {
    const attempt = (): void =>
      refuseOtherChild({ ...create, labelsToAdopt: { by: "agent", id: "1" } }, childOf(labels));
    if (isWritten) attempt();
    else expect(attempt).toThrow("it exists and belongs to another program");
  });

  it.each<{ what: string; live: KubeObject; isWritten: boolean }>([
    {
      what: "that the hub made and that lost its workspace by hand",
      live: childOf(ofEu, "rollcall-hub"),
      isWritten: true,
    },
    { what: "that another program made without a workspace", live: childOf(ofEu, "kubectl"), isWritten: false },
    {
      what: "of a cluster of this name in another workspace",
      live: childOf({ ...ofEu, "rollcall.dev/owner-workspace": "other" }, "rollcall-hub"),
      isWritten: false,
    },
  ])("lets a child outside of workspaces be created over an object $what: $isWritten", ({ live, isWritten }) => {
    const object = childOf({ ...ofEu, "rollcall.dev/owner-workspace": "fleet" });
    const attempt = (): void => refuseOtherChild({ ...create, object }, live);
    if (isWritten) attempt();
    else expect(attempt).toThrow("it exists and belongs to another");
  });

  it.each([
    { live: childOf({}), holder: "another program" },
    { live: childOf({ "rollcall.dev/cluster": "us-1" }), holder: "another owner" },
  ])("reports that the object belongs to $holder", ({ live, holder }) => {
    expect(() => refuseOtherChild(create, live)).toThrow(`it exists and belongs to ${holder}.`);
  });

  it("lets be what is not there, what is updated, and what has no owner", () => {
    refuseOtherChild(create, undefined);
    refuseOtherChild({ ...create, kind: "update" }, childOf({}));
    refuseOtherChild({ ...create, object: childOf({}) }, childOf({}));
    refuseOtherChild({ ...create, object: childOf({}) }, childOf(ofEu));
  });
});
