import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { expect, it } from "vitest";
import type { startHub as declared } from "../../../bin/embedded-hub.d.ts";
import { startHub } from "../../../src/demo/hub-library.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { freePort } from "../../support/free-port.ts";
import { textClient } from "../../support/scalars/text-client.ts";

/** The documented API exists: else this does not compile. */
const start: typeof declared = startHub;

const caOf = async (kubeconfig: string): Promise<string> => (await readKubeconfig(kubeconfig).getTls()).caPem ?? "";

/** The temporary folders of hubs that have this authority. Those of other tests come and go meanwhile. */
async function foldersOf(caPem: string): Promise<string[]> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith("rollcall-hub-"));
  const texts = await Promise.all(
    names.map((name) => readFile(join(tmpdir(), name, "pki", "ca.crt"), "utf8").catch(() => "")),
  );
  return names.filter((_, index) => texts[index] === caPem);
}

it("starts for tests of others, and takes its temporary folder away", async () => {
  const hub = await start();
  const client = textClient(hub.kubeconfig);
  expect((await client.send({ method: "GET", path: "/api/v1/namespaces/default" })).code).toBe(200);
  await hub.whenIdle();
  await client.close();
  const caPem = await caOf(hub.kubeconfig);
  const [folder = ""] = await foldersOf(caPem);
  expect(folder).not.toBe("");
  await hub.close();
  expect(existsSync(join(tmpdir(), folder))).toBe(false);
});

it("keeps a folder that it is given", async () => {
  const dir = await mkdtemp(join(tmpdir(), "rollcall-library-"));
  const first = await start({ dir });
  await expect(start({ dir })).rejects.toMatchObject({ code: "E_DIR_LOCKED" });
  await first.close();
  expect(existsSync(join(dir, "store"))).toBe(true);
  await rm(dir, { recursive: true });
});

it("listens on the port and is known by the names that it is given", async () => {
  const port = await freePort();
  const hub = await start({ port, hosts: ["hub.example.com"] });
  expect([hub.port, hub.url]).toEqual([port, `https://127.0.0.1:${port}`]);
  const servername = "hub.example.com";
  const socket = connect({ host: "127.0.0.1", port, servername, ca: await caOf(hub.kubeconfig) });
  await once(socket, "secureConnect");
  socket.destroy();
  await hub.close();
});
