import { describe, expect, it } from "vitest";
import { startEventExpiry } from "../../../../src/embedded-hub/controllers/event-expiry.ts";
import type { Operations } from "../../../../src/embedded-hub/operations/operations.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { until } from "../../../support/until.ts";
import type { HubWorld } from "./hub-world.ts";
import { startHubWorld } from "./hub-world.ts";
import { loneScope } from "./lone-controller.ts";

const hourMs = 3_600_000;

const event = (name: string, namespace = "shop") => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name, namespace },
  involvedObject: { apiVersion: "v1", kind: "Pod", name: "web", namespace },
  reason: "Tried",
  message: name,
});

const namesOf = (world: HubWorld) => world.list("events", "shop").map(({ metadata }) => metadata.name);

describe("events on the hub", () => {
  it("A181 are the ones written last of each namespace, as many as it may have", async () => {
    const world = await startHubWorld([], { mostEvents: 3 });
    for (const name of ["a", "b", "c"]) await world.create(event(name));
    await world.create(event("other", "default"));
    await world.change("events", "a", (found) => ({ ...found, message: "again" }));
    for (const name of ["d", "e"]) await world.create(event(name));
    await world.settle();
    expect([namesOf(world), world.list("events", "default").length]).toEqual([["a", "d", "e"], 1]);
    await world.remove("events", "d");
    await world.create(event("f"));
    await world.settle();
    expect(namesOf(world)).toEqual(["a", "e", "f"]);
  });

  it("A206 end with whatever finalizers they have, by their number and by their time", async () => {
    const world = await startHubWorld([], { mostEvents: 2 });
    const held = (name: string) => {
      const object = event(name);
      return { ...object, metadata: { ...object.metadata, finalizers: ["example.com/stay"] } };
    };
    for (const name of ["a", "b", "c"]) await world.create(held(name));
    await world.settle();
    expect(namesOf(world)).toEqual(["b", "c"]);
    await world.remove("events", "b");
    await world.clock.advance(hourMs + 1000);
    await until(
      () => Promise.resolve(namesOf(world)),
      (names) => names.length === 0,
    );
  });

  it("of an earlier hub end an hour after their last write, whatever their names", async () => {
    const startMs = createManualClock().nowMs();
    const written = (name: string, ageMs: number) => {
      const creationTimestamp = new Date(startMs - ageMs).toISOString();
      const { metadata, ...rest } = event(name);
      return { ...rest, metadata: { ...metadata, uid: name, creationTimestamp } };
    };
    const world = await startHubWorld([written("a", 0), written("b", hourMs - 60_000)]);
    await world.clock.advance(61_000);
    await until(
      () => Promise.resolve(namesOf(world)),
      (names) => names.length === 1,
    );
    expect(namesOf(world)).toEqual(["a"]);
  });

  it("end as soon as the store takes writes again, when it took none at their time", async () => {
    const clock = createManualClock();
    const deleted: string[] = [];
    let isFull = true;
    const found = event("a");
    const definition = { group: "", plural: "events", isNamespaced: true };
    const operations = {
      definitionOf: () => definition,
      definitionOfKind: () => definition,
      get: () => (deleted.length === 0 ? found : undefined),
      delete: async () => {
        if (isFull) throw new Error("the disk is full");
        deleted.push("a");
      },
    } as unknown as Operations;
    const { scope, report } = loneScope({ operations, clock });
    const controller = startEventExpiry(scope);
    report("events", "modified", found);
    await clock.advance(hourMs);
    expect(deleted).toEqual([]);
    isFull = false;
    await until(
      async () => {
        await clock.advance(1000);
        return deleted.length;
      },
      (count) => count > 0,
    );
    await controller.stop();
  });

  it("end an hour after their last write", async () => {
    const world = await startHubWorld();
    await world.create(event("a"));
    await world.clock.advance(hourMs / 2);
    await world.create(event("b"));
    await world.clock.advance(hourMs / 2 + 1000);
    await until(
      () => Promise.resolve(namesOf(world)),
      (names) => !names.includes("a"),
    );
    expect(namesOf(world)).toEqual(["b"]);
  });

  it.each([-24, 24])("F27 live for an hour when the clock is set by %d h meanwhile", async (hours) => {
    const world = await startHubWorld();
    await world.create(event("a"));
    await world.clock.advance(hourMs / 2);
    world.clock.jump(hours * hourMs);
    await world.create(event("b"));
    await world.clock.advance(1000);
    expect(namesOf(world)).toEqual(["a", "b"]);
    await world.clock.advance(hourMs / 2 + 1000);
    await until(
      () => Promise.resolve(namesOf(world)),
      (names) => !names.includes("a"),
    );
    expect(namesOf(world)).toEqual(["b"]);
  });
});
