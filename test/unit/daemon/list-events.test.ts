import { describe, expect, it } from "vitest";
import { eventTime, listEvents } from "../../../src/daemon/list-events.ts";
import type { KubeApi, ListOptions } from "../../../src/kube/kube.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";

const { signal } = new AbortController();

function event(name: string, fields: object, apiVersion = "rollcall.dev/v1alpha1"): KubeObject {
  return { apiVersion: "v1", kind: "Event", metadata: { name }, involvedObject: { apiVersion }, ...fields };
}

/** The names of the Events that are listed, and what the hub was asked for. */
async function list(query: Parameters<typeof listEvents>[1], items: readonly KubeObject[] = []) {
  let asked: (ListOptions & { readonly kind: string }) | undefined;
  const api: Pick<KubeApi, "list"> = {
    list: async ({ kind }: ResourceType, options = {}) => {
      asked = { ...options, kind };
      return { items: [...items], resourceVersion: "1" };
    },
  };
  const events = await listEvents(api as KubeApi, query);
  return { names: events.map(({ metadata }) => metadata.name), asked };
}

describe("listEvents", () => {
  it("sorts by the time of each, the oldest first, and keeps the order of those of one time", async () => {
    const { names } = await list({ signal }, [
      event("c", { lastTimestamp: "2026-11-27T10:00:03Z" }),
      event("same-1", { lastTimestamp: "2026-11-27T10:00:02Z" }),
      event("same-2", { lastTimestamp: "2026-11-27T10:00:02Z" }),
      event("a", { lastTimestamp: "2026-11-27T10:00:01Z" }),
      event("without", {}),
    ]);
    expect(names).toEqual(["without", "a", "same-1", "same-2", "c"]);
  });

  it("leaves out what is about objects of other projects", async () => {
    const items = [event("own", {}), event("pod", {}, "v1"), event("fake", {}, "rollcall.dev.example/v1")];
    const none: KubeObject = { apiVersion: "v1", kind: "Event", metadata: { name: "none" } };
    expect((await list({ signal }, [...items, none])).names).toEqual(["own"]);
  });

  it.each<[object, object]>([
    [{}, {}],
    [{ namespace: "fleet" }, { namespace: "fleet" }],
    [
      { namespace: "fleet", regarding: { kind: "Cluster", name: "eu-1" } },
      { namespace: "fleet", fieldSelector: "involvedObject.kind=Cluster,involvedObject.name=eu-1" },
    ],
  ])("asks for %j as %j", async (query, options) => {
    expect((await list({ ...query, signal })).asked).toEqual({ ...options, kind: "Event", signal });
  });
});

describe("eventTime", () => {
  const times = {
    series: { lastObservedTime: "1" },
    lastTimestamp: "2",
    eventTime: "3",
    metadata: { name: "e", creationTimestamp: "4" },
  };
  it.each([
    ["the last of a series", times, "1"],
    ["the last one", { ...times, series: {} }, "2"],
    ["its own", { ...times, series: {}, lastTimestamp: null }, "3"],
    ["that of the object", { metadata: times.metadata }, "4"],
    ["none", {}, undefined],
  ])("is %s", (_, fields, expected) => {
    expect(eventTime(event("e", fields))).toBe(expected);
  });
});
