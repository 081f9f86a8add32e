import { describe, expect, it } from "vitest";
import type { HubView, ViewChange } from "../../../src/hub/hub-view.ts";
import { viewIndex } from "../../../src/hub/view-index.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { coreObject } from "./objects.ts";

const secret = (name: string, ...keys: string[]): KubeObject =>
  coreObject("Secret", name, { annotations: { keys: keys.join(",") } });

function openView(objects: readonly KubeObject[]) {
  const listeners: ((change: ViewChange) => void)[] = [];
  let lists = 0;
  const view = {
    list: () => {
      lists += 1;
      return objects;
    },
    subscribe: (listener: (change: ViewChange) => void) => void listeners.push(listener),
  } as unknown as HubView;
  const change = (before: KubeObject | undefined, object: KubeObject | undefined, type = resourceTypes.secret) => {
    const seen = object ?? before;
    if (seen === undefined) return;
    for (const listener of listeners) listener({ ref: refOf(type, seen), object, before, isPlanned: false });
  };
  return { view, change, lists: () => lists };
}

const index = viewIndex(resourceTypes.secret, ({ metadata }) => (metadata.annotations?.["keys"] ?? "").split(","));
const names = (view: HubView, key: string): string[] => index(view, key).map(({ metadata }) => metadata.name);

describe("viewIndex", () => {
  it("finds objects by each of their keys, and reads the view once", () => {
    const { view, lists } = openView([secret("a", "x", "y"), secret("b", "y")]);
    expect([names(view, "x"), names(view, "y"), names(view, "z")]).toEqual([["a"], ["a", "b"], []]);
    expect(lists()).toBe(1);
  });

  it("follows what is added, changed and deleted", () => {
    const [a, b, moved] = [secret("a", "x"), secret("b", "x"), secret("a", "y")];
    const { view, change } = openView([a]);
    expect(names(view, "x")).toEqual(["a"]);
    change(undefined, b);
    expect(names(view, "x")).toEqual(["a", "b"]);
    change(a, moved);
    expect([names(view, "x"), names(view, "y")]).toEqual([["b"], ["a"]]);
    change(moved, undefined);
    expect(names(view, "y")).toEqual([]);
  });

  it("takes in no change of another kind", () => {
    const { view, change } = openView([]);
    expect(names(view, "x")).toEqual([]);
    change(undefined, secret("a", "x"), resourceTypes.configMap);
    expect(names(view, "x")).toEqual([]);
  });

  it("keeps the objects of two views apart", () => {
    const [one, other] = [openView([secret("a", "x")]), openView([secret("b", "x")])];
    expect([names(one.view, "x"), names(other.view, "x")]).toEqual([["a"], ["b"]]);
  });
});
