import { describe, expect, it } from "vitest";
import { runJoin } from "../../../../src/cli/commands/join.ts";
import { version } from "../../../../src/core/version.ts";
import { runCommand } from "../../../support/plain-context.ts";

describe("rollcall join", () => {
  it.each([
    ["default", "--agent-namespace default: the agent needs a namespace of its own"],
    ["kube-system", "--agent-namespace kube-system: the agent needs a namespace of its own"],
    ["kube-of-ours", "--agent-namespace kube-of-ours: the agent needs a namespace of its own"],
  ])("installs no agent into namespace %s", async (namespace, message) => {
    const join = runCommand("join", runJoin, { options: { values: "-", "agent-namespace": namespace } });
    await expect(join).rejects.toMatchObject({ code: "E_USAGE", message });
  });

  it.each([undefined, "rollcall"])("prints no flags of an agent of protocol %s: it has none", async (protocol) => {
    const join = runCommand("join", runJoin, { options: { values: "-", "print-flags": true, protocol } });
    const message = "--print-flags requires --protocol clusternet";
    await expect(join).rejects.toMatchObject({ code: "E_USAGE", message });
  });

  it.each([
    [{}, {}, `rollcall:${version}`],
    [{ version: "1.2.3" }, {}, "rollcall:1.2.3"],
    [{ image: "example.com/agent", version: "1.2.3" }, {}, "example.com/agent:1.2.3"],
    [
      { image: "example.com/agent", version: "1.2.3" },
      { "agent-image": "example.com/other:v4" },
      "example.com/other:v4",
    ],
  ])("runs the image of values %j and options %j", async (agent, more, image) => {
    const hub = { url: "https://hub.example.com", caBundle: "", id: `sha256:${"a".repeat(64)}` };
    const token = { name: "door", credential: "c", proofKey: Buffer.alloc(32, 7).toString("base64") };
    const { text } = await runCommand("join", runJoin, {
      options: { values: "-", "dry-run": true, ...more },
      stdin: JSON.stringify({ hub, token, workspace: "fleet", agent }),
    });
    expect(text).toContain(`image: ${image}\n`);
  });
});
