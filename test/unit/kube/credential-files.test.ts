import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import { createHttpsTransport } from "../../../src/kube/https-transport.ts";
import { readInClusterConfig } from "../../../src/kube/read-in-cluster-config.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { configMapNamed, settings } from "./scripted-api.ts";
import { answerJson, answerStatus, startScriptedServer } from "./scripted-server.ts";
import type { ScriptedServer } from "./scripted-server.ts";

describe("readInClusterConfig", () => {
  let folder = "";
  let server: ScriptedServer;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-account-"));
    server = await startScriptedServer((_, response) => answerJson(response, 200, configMapNamed("settings")));
    await write({ token: "first\n", "ca.crt": server.caPem, namespace: "rollcall-agent\n" });
  });
  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  /** As Kubernetes does it: the file is replaced by another one. */
  async function write(files: Record<string, string>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(folder, `.${name}`), text);
      await rename(join(folder, `.${name}`), join(folder, name));
    }
  }
  async function open() {
    const clock = createManualClock();
    const config = await readInClusterConfig({ host: "127.0.0.1", port: String(server.port), folder, clock });
    const api = createKubeApi({ transport: createHttpsTransport(config), clock, random: fixedRandom() });
    return { clock, config, api };
  }
  const tokens = () => server.requests.map(({ headers }) => headers.authorization);

  it("reaches the cluster's API server as the Pod's account", async () => {
    const { api, config } = await open();
    await api.get(settings);
    expect(config).toMatchObject({ server: server.url, namespace: "rollcall-agent" });
    expect(tokens()).toEqual(["Bearer first"]);
    await api.close();
  });

  it("uses a renewed token after ten seconds, or as soon as the old one is refused", async () => {
    const { api, clock } = await open();
    await api.get(settings);
    await write({ token: "second" });
    await api.get(settings);
    await clock.advance(10_000);
    await api.get(settings);
    await write({ token: "third" });
    server.script = (request, response) => {
      if (request.headers.authorization === "Bearer third") answerJson(response, 200, configMapNamed("settings"));
      else answerStatus(response, 401, { reason: "Unauthorized" });
    };
    await api.get(settings);
    expect(tokens()).toEqual(["first", "first", "second", "second", "third"].map((token) => `Bearer ${token}`));
    await api.close();
  });

  it("F23 continues with the former token while the file is missing or half-written", async () => {
    const { api, clock } = await open();
    await api.get(settings);
    await writeFile(join(folder, "token"), "");
    await clock.advance(10_000);
    await api.get(settings);
    await rm(join(folder, "token"));
    await clock.advance(10_000);
    await api.get(settings);
    expect(tokens()).toEqual(Array(3).fill("Bearer first"));
    await api.close();
  });

  it("trusts a renewed authority with the next connection", async () => {
    const { api, config } = await open();
    const before = await config.getTls();
    expect(await config.getTls()).toBe(before);
    await write({ "ca.crt": `${server.caPem}\n${server.caPem}` });
    expect((await config.getTls()).caPem).not.toBe(before.caPem);
    await api.get(settings);
    await api.close();
  });

  it("F23 waits, and names what for, when a file is not there yet", async () => {
    await rm(join(folder, "token"));
    await expect(open()).rejects.toMatchObject({ code: "E_KUBECONFIG", recovery: "waiting" });
  });

  it("fails outside of a cluster", async () => {
    const outside = readInClusterConfig({ host: undefined, port: undefined, clock: createManualClock() });
    await expect(outside).rejects.toMatchObject({ code: "E_KUBECONFIG" });
  });
});
