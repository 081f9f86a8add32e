import { describe, expect, it } from "vitest";
import { runJoin } from "../../../../src/cli/commands/join.ts";
import { runCommand } from "../../../support/plain-context.ts";

const values = {
  parentURL: "https://hub.example.com",
  registrationToken: "a-token",
  extraArgs: {
    "cluster-reg-name": "edge-1",
    "cluster-labels": "rollcall.dev/workspace=fleet,rollcall.dev/token=door",
  },
};

/** Reads values as a token's Secret has them. */
const run = (given: object, options: Readonly<Record<string, string | boolean>> = {}) =>
  runCommand("join", runJoin, {
    options: { protocol: "clusternet", values: "-", "dry-run": true, ...options },
    stdin: JSON.stringify(given),
  });

describe("rollcall join --protocol clusternet with values", () => {
  it("makes an agent that names its cluster, and proposes the labels of the command", async () => {
    const { text } = await run(values, { label: "site=oslo", "agent-image": "example.com/clusternet-agent:v9" });
    expect(text).toContain("--cluster-reg-name=edge-1");
    expect(text).toContain("--cluster-labels=rollcall.dev/workspace=fleet,rollcall.dev/token=door,site=oslo");
    expect(text).toContain("image: example.com/clusternet-agent:v9");
  });

  it.each([
    ["parentURL", { ...values, parentURL: undefined }],
    ["registrationToken", { ...values, registrationToken: "" }],
    ["extraArgs", { ...values, extraArgs: { "cluster-reg-name": "edge-1" } }],
    [
      "extraArgs",
      { ...values, extraArgs: { "cluster-reg-name": "edge-1", "cluster-labels": "rollcall.dev/workspace=fleet" } },
    ],
  ])("names %s where it is missing, and no value", async (key, given) => {
    const message = `the values cannot be used: ${key} is missing or of the wrong form`;
    await expect(run(given)).rejects.toMatchObject({ code: "E_AGENT_VALUES", message });
  });

  it("refuses values of two sources, and of none", async () => {
    const message = "join needs either --values FILE or --from-hub TOKEN";
    const both = { "from-hub": "door", "cluster-name": "edge-1", "hub-kubeconfig": "/none" };
    await expect(run(values, both)).rejects.toMatchObject({ code: "E_USAGE", message });
    const none = runCommand("join", runJoin, { options: { protocol: "clusternet" } });
    await expect(none).rejects.toMatchObject({ code: "E_USAGE", message });
  });
});
