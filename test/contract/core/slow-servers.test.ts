import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createForgeHttp } from "../../../src/forge/forge-http.ts";
import { makeNativeGit } from "../../../src/git/engine/native-git.ts";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import { createHttpsTransport } from "../../../src/kube/https-transport.ts";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { startScriptedServer } from "../../unit/kube/scripted-server.ts";

type Drip = (response: ServerResponse) => void;

const everyMs = 10;

/** Sends a byte now and then until the client has gone; never lets it be idle. */
function drip(response: ServerResponse, send: () => void): void {
  const timer = setInterval(send, everyMs);
  response.once("close", () => clearInterval(timer));
}

const inHead: Drip = (response) => {
  response.socket?.write("HTTP/1.1 200 OK\r\nx-drip: ");
  drip(response, () => response.socket?.write("x"));
};
const inBody =
  (contentType: string, statusCode = 200): Drip =>
  (response) => {
    response
      .writeHead(statusCode, { "content-type": contentType, location: "/other" })
      .write(contentType.includes("git") ? "fff0" : "{");
    drip(response, () => response.write(" "));
  };

async function startServer(answer: Drip): Promise<string> {
  const server = createServer((_request, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// Each of these servers sends something every few milliseconds.
describe("a server that sends a byte now and then", () => {
  const git = "application/x-git-upload-pack-advertisement";

  it.each([
    { where: "the head", answer: inHead, limit: { slowMs: 400 } },
    { where: "the body", answer: inBody(git), limit: { slowMs: 400 } },
    { where: "the body, however slow it may be", answer: inBody(git), limit: { slowMs: 3_600_000, totalMs: 400 } },
  ])("A57 is given up by a git engine in $where", async ({ answer, limit }) => {
    const { path, remove } = await makeTempFolder();
    onTestFinished(remove);
    const engine = await openGitEngine({
      url: `${await startServer(answer)}/fleet.git`,
      cacheDir: join(path, "cache"),
      isLocalAllowed: true,
      timeouts: { responseMs: 400, idleMs: 60_000, ...limit },
      clock: realClock,
      random: realRandom,
    });
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
    await engine.close();
  });

  it.each([
    { where: "the head", answer: inHead },
    { where: "the body", answer: inBody("application/json") },
    { where: "a redirect", answer: inBody("application/json", 302) },
  ])("A57 is given up by a forge in $where", async ({ answer }) => {
    const apiUrl = await startServer(answer);
    const timeouts = { answerMs: 60_000, totalMs: 400 };
    const http = createForgeHttp({ apiUrl, token: "t0ken-of-the-forge", headers: {}, clock: realClock, timeouts });
    const sent = http.send({ action: "read it", method: "GET", path: "/x" });
    await expect(sent).rejects.toMatchObject({ code: "E_FORGE_UNREACHABLE" });
    await http.close();
  });

  for (const [name, createTransport] of Object.entries({ createUndiciTransport, createHttpsTransport })) {
    it.each([
      { where: "the head", answer: inHead },
      { where: "the body", answer: inBody("application/json") },
      { where: "a refusal", answer: inBody("application/json", 403) },
    ])(`A57 is given up by ${name} in $where`, async ({ answer }) => {
      const server = await startScriptedServer((_request, response) => answer(response));
      onTestFinished(() => server.stop());
      const transport = createTransport(server.connection());
      const api = createKubeApi({ transport, clock: realClock, random: realRandom, timeoutMs: 400 });
      const read = api.get({ type: resourceTypes.configMap, namespace: "a", name: "b" });
      await expect(read).rejects.toMatchObject({ code: "E_KUBE_UNREACHABLE" });
      await api.close();
    });
  }

  it("A57 a native git that does not end is ended, and killed when it does not listen", async () => {
    const { path, remove } = await makeTempFolder();
    onTestFinished(remove);
    await mkdir(join(path, "bin"));
    await writeFile(join(path, "bin", "git"), "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.2; done\n", {
      mode: 0o755,
    });
    const git = makeNativeGit({ folder: path, protocol: "file", searchPath: `${join(path, "bin")}:/usr/bin:/bin` });
    const run = git.run({ args: ["fetch"], timeoutMs: 100 });
    await expect(run).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
  });
});
