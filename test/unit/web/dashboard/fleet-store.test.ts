import { describe, expect, it } from "vitest";
import type { ClusterRow } from "../../../../src/model/generated/page-api.ts";
import { FleetStore } from "../../../../src/web/dashboard/browser/data/fleet-store.ts";

function row(name: string, reason = "Ready"): ClusterRow {
  return {
    workspace: "fleet",
    name,
    reason,
    ...{ protocol: "rollcall", state: "ready", ready: "True", healthy: "True", labels: {} },
  };
}

describe("FleetStore", () => {
  it("takes in changes that follow on the list", () => {
    const store = new FleetStore();
    expect(store.replace({ feed: "a.5", items: [row("one"), row("two")] })).toBe(true);
    expect(store.all()).toHaveLength(2);
    expect(
      store.apply({ from: "a.3", to: "a.7", items: [row("two", "Leaving"), row("three")], gone: ["fleet/one"] }),
    ).toBe(true);
    expect(store.all().map(({ name, reason }) => `${name} ${reason}`)).toEqual(["three Ready", "two Leaving"]);
  });

  it.each([
    { reason: "some before them are missing", from: "a.6", to: "a.9" },
    { reason: "they are of another process", from: "b.1", to: "b.2" },
  ])("refuses changes when $reason", ({ from, to }) => {
    const store = new FleetStore();
    store.replace({ feed: "a.5", items: [row("one")] });
    expect(store.apply({ from, to, items: [row("two")], gone: [] })).toBe(false);
    expect(store.all()).toHaveLength(1);
  });

  it("passes over changes that the list has already", () => {
    const store = new FleetStore();
    store.replace({ feed: "a.5", items: [row("one")] });
    expect(store.apply({ from: "a.1", to: "a.4", items: [], gone: ["fleet/one"] })).toBe(true);
    expect(store.all()).toHaveLength(1);
  });

  it("reports when changes came while the list was on its way", () => {
    const store = new FleetStore();
    store.replace({ feed: "a.5", items: [] });
    store.apply({ from: "a.5", to: "a.9", items: [row("one")], gone: [] });
    expect(store.replace({ feed: "a.7", items: [] })).toBe(false);
    expect(store.replace({ feed: "a.9", items: [row("one")] })).toBe(true);
  });

  it("shows a list that is read anew, without what is not in it any more", () => {
    const store = new FleetStore();
    store.replace({ feed: "a.5", items: [row("one"), row("two")] });
    store.all();
    store.replace({ feed: "b.1", items: [row("two", "Leaving"), row("a")] });
    expect(store.all().map(({ name, reason }) => `${name} ${reason}`)).toEqual(["a Ready", "two Leaving"]);
  });

  it("gives the same array until something changes", () => {
    const store = new FleetStore();
    store.replace({ feed: "a.5", items: [row("one")] });
    const before = store.all();
    store.apply({ from: "a.5", to: "a.6", items: [], gone: [] });
    expect(store.all()).toBe(before);
  });
});
