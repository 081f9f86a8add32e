import { describe, expect, it } from "vitest";
import { readUpPlan } from "../../../src/demo/up-plan.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";

const plan = (given: Readonly<Record<string, string>>) => readUpPlan(readSettings("up", { given, environment: {} }));

describe("whose agents rollcall up runs", () => {
  it("are its own, unless --protocol and --agent-binary name others", async () => {
    expect((await plan({})).protocol).toBe("rollcall");
    const other = await plan({ protocol: "fleet", "agent-binary": process.execPath });
    expect(other).toMatchObject({ protocol: "fleet", foreign: { name: "fleet" }, clusterSpec: { protocol: "fleet" } });
    expect(other.resolveImage("/home")("rancher/fleet-agent:v0.15.1")).toMatchObject({ command: process.execPath });
  });

  it("are none where a hub alone is to be tried; what kubectl creates there becomes files", async () => {
    const alone = await plan({ protocol: "fleet", clusters: "0" });
    expect(alone).toMatchObject({ workspaces: ["clusters"], repositorySpec: { defaultWorkspace: "clusters" } });
    expect(alone.resolveImage("/home")("rancher/fleet-agent:v0.15.1")).toBeUndefined();
    expect((await plan({ clusters: "0" })).repositorySpec).toEqual({});
  });

  it.each<{ reason: string; given: Record<string, string>; message: string }>([
    { reason: "a program without a protocol", given: { "agent-binary": "/bin/true" }, message: "requires --protocol" },
    { reason: "a protocol without a program", given: { protocol: "fleet" }, message: "needs --agent-binary" },
    {
      reason: "a folder in the place of a program",
      given: { protocol: "fleet", "agent-binary": "/" },
      message: "is no program that can be run",
    },
    {
      reason: "a program that is not there",
      given: { protocol: "fleet", "agent-binary": "/nonexistent" },
      message: "is no program that can be run",
    },
  ])("refuses $reason", async ({ given, message }) => {
    await expect(plan(given)).rejects.toMatchObject({
      code: "E_USAGE",
      message: expect.stringContaining(message) as string,
    });
  });

  it("starts no more of them than fit into the memory of the machine", async () => {
    const planOf = (clusters: string) =>
      readUpPlan(readSettings("up", { given: { clusters }, environment: {} }), 2 ** 30);
    expect((await planOf("17")).protocol).toBe("rollcall");
    await expect(planOf("18")).rejects.toMatchObject({
      code: "E_USAGE",
      message: expect.stringContaining("17 is the most") as string,
    });
  });
});
