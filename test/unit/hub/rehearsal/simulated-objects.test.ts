import { describe, expect, it } from "vitest";
import { createSimulatedObjects } from "../../../../src/hub/rehearsal/simulated-objects.ts";
import { refOf } from "../../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { coreObject } from "../objects.ts";

const type = resourceTypes.secret;
const [a, b, below] = [
  coreObject("Secret", "a", { labels: { app: "x" } }),
  coreObject("Secret", "b", { namespace: "other", labels: { app: "y" } }),
  coreObject("Secret", "below"),
];
const refs = { a: refOf(type, a), below: refOf(type, below) };
const open = () =>
  createSimulatedObjects([a, b, { apiVersion: "x/v1", kind: "Strange", metadata: { name: "s" } }], ({ name }) =>
    name === "below" ? below : undefined,
  );

describe("createSimulatedObjects", () => {
  it.each([
    { reason: "everything of the kind", selection: {}, names: ["a", "b"] },
    { reason: "one namespace", selection: { namespace: "other" }, names: ["b"] },
    { reason: "those with a label", selection: { labelSelector: "app" }, names: ["a", "b"] },
    { reason: "those with a value of a label", selection: { labelSelector: "app=x" }, names: ["a"] },
    { reason: "none without the label", selection: { labelSelector: "tier" }, names: [] },
  ])("lists $reason", ({ selection, names }) => {
    expect(
      open()
        .list({ type, ...selection })
        .map(({ metadata }) => metadata.name),
    ).toEqual(names);
  });

  it("reads what the hub has, but neither gets nor lists it", () => {
    const objects = open();
    expect([objects.read(refs.below), objects.get(refs.below)]).toEqual([below, undefined]);
  });

  it.each(["a", "below"] as const)("has %s no more once it is removed, until it is set again", (name) => {
    const objects = open();
    objects.remove(refs[name]);
    expect([objects.read(refs[name]), objects.get(refs[name])]).toEqual([undefined, undefined]);
    objects.set(refs[name], a);
    expect(objects.read(refs[name])).toBe(a);
  });

  it("knows the kinds that it holds", () => {
    expect([...open().types()]).toEqual([type]);
  });
});
