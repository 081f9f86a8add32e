import { describe, expect, it } from "vitest";
import { FleetFeed } from "../../../../src/web/dashboard/fleet-feed.ts";

describe("FleetFeed", () => {
  it("reports what changed since a cursor, each cluster once", () => {
    const feed = new FleetFeed("a");
    feed.recordCluster("fleet/old");
    const cursor = feed.cursor();
    feed.recordCluster("fleet/one");
    feed.recordCluster("fleet/two");
    feed.recordCluster("fleet/one");
    feed.recordPart("tokens");
    expect(feed.since(cursor)).toEqual({
      clusters: new Set(["fleet/one", "fleet/two"]),
      parts: new Set(["tokens"]),
    });
    expect(feed.since(feed.cursor())).toEqual({ clusters: new Set(), parts: new Set() });
  });

  it.each([
    { reason: "it is of another process", cursor: "b.0" },
    { reason: "it is from the future", cursor: "a.99" },
    { reason: "it is no cursor", cursor: "hello" },
    { reason: "it has no number", cursor: "a." },
    { reason: "it is empty", cursor: "" },
    { reason: "its number is written in another way", cursor: "a.0x1" },
    { reason: "its number has a sign", cursor: "a.+1" },
  ])("knows no cursor when $reason", ({ cursor }) => {
    const feed = new FleetFeed("a");
    feed.recordCluster("fleet/one");
    expect(feed.since(cursor)).toBeUndefined();
  });

  it("forgets what is long ago, and reports it", () => {
    const feed = new FleetFeed("a");
    const start = feed.cursor();
    for (let count = 0; count < 39_000; count++) feed.recordCluster(`fleet/c${count}`);
    const later = feed.cursor();
    for (let count = 0; count < 2_000; count++) feed.recordCluster("fleet/late");
    expect(feed.since(start)).toBeUndefined();
    expect(feed.since(later)).toEqual({ clusters: new Set(["fleet/late"]), parts: new Set() });
  });

  it("calls its listeners until they stop", () => {
    const feed = new FleetFeed("a");
    const heard: string[] = [];
    const stop = feed.subscribe(() => heard.push(feed.cursor()));
    feed.recordCluster("fleet/one");
    stop();
    feed.recordCluster("fleet/two");
    expect(heard).toEqual(["a.1"]);
  });
});
