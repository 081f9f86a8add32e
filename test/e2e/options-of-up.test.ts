import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../support/free-port.ts";
import { makeTempFolder } from "../support/git-repositories.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";

async function makeDir(): Promise<string> {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  return join(folder.path, "fleet-of-this-machine");
}

describe("an option of rollcall hub takes effect", () => {
  it("--dir, --port, --log-level and --log-format", async () => {
    const [dir, port] = [await makeDir(), await freePort()];
    const options = ["--dir", dir, "--port", String(port), "--log-level", "debug", "--log-format", "text"];
    const hub = startRollcall(["hub", ...options]);
    onTestFinished(async () => {
      hub.kill("SIGKILL");
      await hub.finished;
    });
    await hub.whenPrinted(/The hub is ready/u);
    expect(hub.output()).toContain(`https://127.0.0.1:${port}`);
    expect(await readFile(join(dir, "hub.kubeconfig"), "utf8")).toContain(`:${port}`);
    connect(port, "127.0.0.1")
      .on("error", () => undefined)
      .end("no TLS\r\n\r\n");
    await hub.whenPrinted(/TLS handshake failed/u);
    expect(hub.output()).not.toMatch(/^\{/mu);
  });
});

describe("Ctrl-C while rollcall up starts", () => {
  it("names the command that resumes, as it does later", async () => {
    const up = startRollcall(["up", "--dir", await makeDir()]);
    onTestFinished(() => up.kill("SIGKILL"));
    await up.whenPrinted(/hub +ready/u);
    up.kill("SIGINT");
    expect((await up.finished).code).toBe(130);
    expect(up.output()).toMatch(/\nStopping; `.* up --dir \S+` continues from here\.\n$/u);
  });
});

describe("an option of rollcall up takes effect", () => {
  it("--dir, --clusters, --port, --log-level and --exit-when-healthy", async () => {
    const [dir, port] = [await makeDir(), await freePort()];
    const options = ["--dir", dir, "--clusters", "1", "--port", String(port), "--log-level", "debug"];
    const { code, stdout } = await runRollcall(["up", ...options, "--exit-when-healthy"]);
    expect(code, stdout).toBe(0);
    expect(stdout).toContain("1 running: ");
    expect(stdout).toContain(`http://127.0.0.1:${port}/`);
    expect(await readFile(join(dir, "rollcall.log"), "utf8")).toContain('"level":"debug"');
    const again = await runRollcall(["up", "--dir", dir, "--clusters", "4", "--exit-when-healthy"]);
    expect(again.code, again.stdout).toBe(0);
    expect(again.stdout).toContain("4 running: ");
  });
});
