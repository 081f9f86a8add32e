import { describe, expect, it } from "vitest";
import { until } from "../../../support/until.ts";
import type { HubWorld } from "./hub-world.ts";
import { startHubWorld } from "./hub-world.ts";

const hourMs = 3_600_000;

const event = (name: string) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name, namespace: "shop" },
  involvedObject: { apiVersion: "v1", kind: "Pod", name: "web", namespace: "shop" },
  reason: "Tried",
  message: name,
});

const namesOf = (world: HubWorld) => world.list("events", "shop").map(({ metadata }) => metadata.name);

describe("events on the hub", () => {
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
