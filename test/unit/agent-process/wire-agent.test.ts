import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wireAgent } from "../../../src/agent-process/wire-agent.ts";
import { runAgentCommand } from "../../../src/cli/commands/agent.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";

describe("an agent in a Pod", () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "rollcall-agent-"));
    const files = { token: "a-token", "ca.crt": "", namespace: "of-the-account" };
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  const inPod = (more: Readonly<Record<string, string>> = {}) => ({
    KUBERNETES_SERVICE_HOST: "10.96.0.1",
    KUBERNETES_SERVICE_PORT: "6443",
    ROLLCALL_SERVICE_ACCOUNT_DIR: dir,
    ...more,
  });
  const wire = (environment: Readonly<Record<string, string>>) =>
    wireAgent({ environment, logLevel: "info", write: () => undefined, signal: new AbortController().signal });

  it("finds its cluster and its own name by the environment that Kubernetes gives it", async () => {
    const { downstreamApi, settings } = await wire(inPod({ HOSTNAME: "agent-7f" }));
    expect(downstreamApi.server).toBe("https://10.96.0.1:6443");
    expect(settings).toMatchObject({ namespace: "of-the-account", podName: "agent-7f" });
    await downstreamApi.close();
    const named = await wire(inPod({ HOSTNAME: "agent-7f", ROLLCALL_POD_NAME: "pod" }));
    expect(named.settings.podName).toBe("pod");
    await named.downstreamApi.close();
  });

  it("prints no line below its --log-level", async () => {
    const linesOf = async (given: Readonly<Record<string, string>>): Promise<string> => {
      let text = "";
      const stdout = { write: (line: string) => (text += line) } as unknown as NodeJS.WriteStream;
      const settings = readSettings("agent", { given, environment: {} });
      await runAgentCommand({ settings, environment: inPod(), stdout, signal: AbortSignal.abort() });
      return text;
    };
    expect(await linesOf({})).toContain("agent started");
    expect(await linesOf({ "log-level": "error" })).toBe("");
  });
});
