import { describe, expect, it } from "vitest";
import { reportNotServed } from "../../../../src/hub/members/report-not-served.ts";
import { openMemberWorld } from "./member-world.ts";

describe("reportNotServed", () => {
  it("writes the status and its Events once", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { spec: { protocol: "fleet" }, labels: { "rollcall.dev/repository": "r" } });
    const report = async () => {
      const { member } = world.scopeOf("eu-1");
      await reportNotServed(world.ports, member, world.signal);
      return world.asked();
    };
    expect(await report()).toEqual(["status Cluster/eu-1"]);
    expect(world.events.map(({ reason, type }) => `${type} ${reason}`)).toEqual(["Warning NotServed"]);
    expect(world.events[0]?.message).toContain(
      "Start it with --serve-fleet; in the chart, set options.serveFleet: true.",
    );
    expect(await report()).toEqual([]);
    expect(world.events).toHaveLength(1);
  });
});
