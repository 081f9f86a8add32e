import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { connect } from "node:tls";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import type { TestClient } from "../contract/embedded-hub/hub-client.ts";
import { adminClient, tlsOf } from "../contract/embedded-hub/hub-client.ts";
import { makeTempFolder } from "../support/git-repositories.ts";
import { followProcess } from "../support/rollcall-process.ts";

const mostOpenFiles = 400;
const entry = join(import.meta.dirname, "../../bin/rollcall.js");
const core = "/api/v1/namespaces/default";

it("A170 an account that opens more connections than the hub may have files loses its oldest, and keeps none from the hub", async () => {
  const folder = await makeTempFolder();
  const limited = ["-c", `ulimit -n ${mostOpenFiles}; exec "$0" "$@"`, process.execPath, entry, "hub"];
  const hub = followProcess(spawn("sh", [...limited, "--dir", folder.path], { stdio: ["ignore", "pipe", "pipe"] }));
  const sockets: TLSSocket[] = [];
  try {
    await hub.whenPrinted(/The hub is ready/u);
    const { url, newClient } = await clientsOf(folder.path);
    const token = await tokenOf(newClient, "poor");
    while (sockets.length < mostOpenFiles + 100) sockets.push(await openConnection(url, token));
    expect(sockets.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(0);
    expect(sockets.at(-1)?.destroyed).toBe(false);
    const body = { metadata: { name: "written-meanwhile" } };
    expect(await callOnce(newClient, { method: "POST", path: `${core}/configmaps`, body })).toMatchObject({
      statusCode: 201,
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    hub.kill("SIGKILL");
    await hub.finished;
    await folder.remove();
  }
});

async function clientsOf(dir: string): Promise<{ readonly url: string; readonly newClient: () => TestClient }> {
  const kubeconfig = await readFile(join(dir, "hub.kubeconfig"), "utf8");
  const [cluster] = objectsAt(parse(kubeconfig), "clusters");
  const url = textAt(cluster, "cluster", "server") ?? "";
  return { url, newClient: () => adminClient(url, tlsOf(kubeconfig)) };
}

async function callOnce(newClient: () => TestClient, call: Parameters<TestClient["call"]>[0]) {
  const client = newClient();
  try {
    return await client.call(call);
  } finally {
    client.close();
  }
}

async function tokenOf(newClient: () => TestClient, name: string): Promise<string> {
  const path = `${core}/serviceaccounts`;
  await callOnce(newClient, { method: "POST", path, body: { metadata: { name } } });
  const { json } = await callOnce(newClient, { method: "POST", path: `${path}/${name}/token`, body: { spec: {} } });
  return textAt(json, "status", "token") ?? "";
}

/** Resolves when a request has been answered. */
async function openConnection(url: string, token: string): Promise<TLSSocket> {
  const { port, hostname } = new URL(url);
  const socket = connect({
    port: Number(port),
    host: hostname,
    rejectUnauthorized: false,
    ALPNProtocols: ["http/1.1"],
  });
  socket.on("error", () => undefined); // the hub may end it
  await once(socket, "secureConnect");
  socket.write(`GET /version HTTP/1.1\r\nhost: hub\r\nauthorization: Bearer ${token}\r\n\r\n`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toContain("200 OK");
  return socket;
}
