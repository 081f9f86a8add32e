import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { CommandContext } from "../../../../src/cli/commands/command-context.ts";
import { runDaemon } from "../../../../src/cli/commands/run.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";

describe("rollcall run", () => {
  it.each([
    ["page-actions", { "page-address": "127.0.0.1:0", "page-access": "Open", "page-actions": true }],
    ["page-access", { "page-address": "10.0.0.1:8080", "page-access": "Open" }],
    ["page-address", { "page-address": "here" }],
  ])("refuses an invalid --%s before it reads a kubeconfig", async (name, given) => {
    const settings = readSettings("run", {
      given: { repo: "https://git.example.com/fleet.git", ...given },
      environment: {},
    });
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const { signal } = new AbortController();
    const context = { settings, environment: { HOME: "/none" }, signal, stdout: silent, stderr: silent };
    const failure = runDaemon(context as unknown as CommandContext);
    await expect(failure).rejects.toMatchObject({
      code: "E_USAGE",
      message: expect.stringContaining(`--${name}`) as string,
    });
  });
});
