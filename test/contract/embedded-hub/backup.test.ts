import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import { makeBackup, restoreBackup, snapshotOfStopped, snapshotPath } from "../../../src/embedded-hub/backup.ts";
import type { TestHub } from "./hub-client.ts";
import { adminClient, adminOf, eventsOf, startHubOn, startTestHub, take } from "./hub-client.ts";

const path = "/api/v1/namespaces/default/configmaps";

let server: TestHub;
let backup: Buffer;
beforeAll(async () => {
  server = await startTestHub();
  for (const name of ["a", "b", "gone"]) await server.call({ method: "POST", path, body: { metadata: { name } } });
  await server.call({ method: "DELETE", path: `${path}/gone` });
  backup = await makeBackup(server.dir, (await server.call({ path: snapshotPath })).bytes);
});
afterAll(() => server.stop());

async function emptyFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "rollcall-restored-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** The objects of a kind that is not the hub's own business, as they are. */
async function mapsOf(client: Pick<TestHub, "call">): Promise<readonly unknown[]> {
  return objectsAt((await client.call({ path })).json, "items");
}

describe("a backup of a hub", () => {
  it("makes the same hub again: objects, versions, authority, credentials", async () => {
    const issued = await server.call({
      method: "POST",
      path: "/api/v1/namespaces/default/serviceaccounts/default/token",
      body: { spec: {} },
    });
    const token = textAt(issued.json, "status", "token") ?? "";
    const dir = await emptyFolder();
    await restoreBackup(dir, backup, "the test");
    const hub = await startHubOn(dir);
    // The certificate of the former hub's administrator, checked by the same authority.
    const client = adminClient(hub.url, server.tls);
    try {
      expect(await mapsOf(client)).toEqual(await mapsOf(server));
      const review = await client.call({
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/tokenreviews",
        body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } },
      });
      expect(review.json).toMatchObject({ status: { authenticated: true } });
    } finally {
      client.close();
      await hub.close();
    }
  });

  it("continues with revisions that no client has seen, and ends earlier watches", async () => {
    const dir = await emptyFolder();
    await restoreBackup(dir, backup, "the test");
    const hub = await startHubOn(dir);
    const client = adminClient(hub.url, adminOf(hub));
    try {
      const written = await client.call({ method: "POST", path, body: { metadata: { name: "later" } } });
      expect(Number(textAt(written.json, "metadata", "resourceVersion"))).toBeGreaterThan(1_000_000_000);
      const stale = await client.open({ path: `${path}?watch=true&resourceVersion=3` });
      const [event] = await take(eventsOf(stale), 1);
      stale.destroy();
      expect(event).toMatchObject({ type: "ERROR", object: { code: 410 } });
    } finally {
      client.close();
      await hub.close();
    }
  });

  it("is the same of a hub that does not run", async () => {
    const dir = await emptyFolder();
    await restoreBackup(dir, backup, "the test");
    const again = await makeBackup(dir, await snapshotOfStopped(dir, "the test"));
    const other = await emptyFolder();
    await restoreBackup(other, again, "the test");
    const hub = await startHubOn(other);
    const client = adminClient(hub.url, server.tls);
    expect(await mapsOf(client)).toEqual(await mapsOf(server));
    client.close();
    await hub.close();
  });

  it("that is damaged or cut off is refused before anything is written", async () => {
    const flipped = Buffer.from(backup);
    flipped[backup.length >> 1] = (flipped[backup.length >> 1] ?? 0) ^ 1;
    for (const bad of [flipped, backup.subarray(0, backup.length - 100), Buffer.from("hello"), Buffer.alloc(0)]) {
      const dir = await emptyFolder();
      await expect(restoreBackup(dir, bad, "the test")).rejects.toMatchObject({ code: "E_STORE_DAMAGED" });
      expect(await readdir(dir)).toEqual([]);
    }
  });

  it("of a newer version is refused in one sentence, before anything is written", async () => {
    const body = Buffer.from(backup.subarray(0, -32).toString("latin1").replace('"format":1', '"format":2'), "latin1");
    const newer = Buffer.concat([body, createHash("sha256").update(body).digest()]);
    const dir = await emptyFolder();
    const message = "read the backup: it has format 2, this program reads 1";
    await expect(restoreBackup(dir, newer, "the test")).rejects.toMatchObject({ code: "E_STORE_VERSION", message });
    expect(await readdir(dir)).toEqual([]);
  });

  it("leaves nothing behind when its snapshot cannot be restored", async () => {
    const body = backup.subarray(0, backup.indexOf(10) + 20);
    const cut = Buffer.concat([body, createHash("sha256").update(body).digest()]);
    const dir = join(await emptyFolder(), "hub");
    await expect(restoreBackup(dir, cut, "the test")).rejects.toThrow();
    expect(await readdir(join(dir, ".."))).toEqual(["hub"]);
    expect(await readdir(dir)).toEqual([]);
  });

  it("is restored to files that its owner alone can read, keys first of all", async () => {
    const dir = await emptyFolder();
    await restoreBackup(dir, backup, "the test");
    const modesIn = async (folder: string) =>
      Promise.all(
        (await readdir(folder)).sort().map(async (name) => [name, (await stat(join(folder, name))).mode & 0o777]),
      );
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect(await modesIn(join(dir, "pki"))).toEqual(await modesIn(join(server.dir, "pki")));
    expect((await modesIn(join(dir, "pki"))).filter(([, mode]) => mode !== 0o600)).toEqual([]);
  });

  it("is restored anew after a restore that was cut off", async () => {
    const dir = join(await emptyFolder(), "hub");
    // What a killed restore leaves.
    await restoreBackup(`${dir}.restoring`, backup, "the test");
    await rm(join(`${dir}.restoring`, "pki"), { recursive: true });
    await restoreBackup(dir, backup, "the test");
    expect(await readdir(join(dir, ".."))).toEqual(["hub"]);
    const hub = await startHubOn(dir);
    const client = adminClient(hub.url, server.tls);
    try {
      expect(await mapsOf(client)).toEqual(await mapsOf(server));
    } finally {
      client.close();
      await hub.close();
    }
  });

  it("is not restored over a hub", async () => {
    await expect(restoreBackup(server.dir, backup, "the test")).rejects.toMatchObject({ code: "E_USAGE" });
  });

  it("is for administrators alone", async () => {
    const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
    const issued = await server.call({ method: "POST", path, body: { spec: {} } });
    const { cert: _cert, key: _key, ...tls } = server.tls;
    const client = adminClient(server.hub.url, { ...tls, cert: "", key: "" });
    const headers = { authorization: `Bearer ${textAt(issued.json, "status", "token") ?? ""}` };
    expect((await client.call({ path: snapshotPath, headers })).statusCode).toBe(403);
    expect((await client.call({ path: snapshotPath })).statusCode).toBe(403);
    client.close();
  });
});
