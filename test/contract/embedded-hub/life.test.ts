import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { silentLog } from "../../../src/core/log.ts";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { EmbeddedHub } from "../../../src/embedded-hub/embedded-hub.ts";
import { startEmbeddedHub } from "../../../src/embedded-hub/embedded-hub.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import type { Answer, Call } from "./hub-client.ts";
import { adminClient, adminOf, eventsOf, startHubOn, take } from "./hub-client.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "rollcall-hub-life-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function callOnce(url: string, tls: ReturnType<typeof adminOf>, call: Call): Promise<Answer> {
  const client = adminClient(url, tls);
  try {
    return await client.call(call);
  } finally {
    client.close();
  }
}

describe("a hub", () => {
  it("writes its administrator's key in the form that clients in Java, Go and Python read", async () => {
    const hub = await startHubOn(dir);
    const [user] = objectsAt(parse(hub.adminKubeconfig), "users");
    const key = Buffer.from(textAt(user, "user", "client-key-data") ?? "", "base64").toString();
    expect(key).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/u);
    await hub.close();
  });

  it("changes nothing by four restarts in a row: no version of an idle object, no second ReplicaSet", async () => {
    const labels = { app: "a" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } };
    const first = await startHubOn(dir);
    const client = adminClient(first.url, adminOf(first));
    for (const name of ["a", "b", "c"]) {
      await client.call({
        method: "POST",
        path: "/apis/apps/v1/namespaces/default/deployments",
        body: { metadata: { name }, spec: { replicas: 2, selector: { matchLabels: labels }, template } },
      });
    }
    client.close();
    await first.whenIdle();
    const before = versionsOf(first);
    await first.close();
    for (const _restart of [1, 2, 3, 4]) {
      const hub = await startHubOn(dir);
      await hub.whenIdle();
      expect(versionsOf(hub)).toEqual(before);
      await hub.close();
    }
    expect(Object.keys(before).filter((key) => key.startsWith("ReplicaSet "))).toHaveLength(3);
  });

  it("is the same after a restart: objects, versions, certificates, tokens, running watches", async () => {
    const first = await startHubOn(dir);
    const admin = adminOf(first);
    const made = await callOnce(first.url, admin, {
      method: "POST",
      path: configMaps,
      body: { metadata: { name: "kept", labels: { a: "b" } }, data: { x: "1" } },
    });
    const keys = await callOnce(first.url, admin, { path: "/openid/v1/jwks" });
    await first.close();
    const second = await startHubOn(dir);
    expect(second.caPem).toBe(first.caPem);
    expect(adminOf(second)).toEqual(admin);
    const client = adminClient(second.url, admin);
    expect((await client.call({ path: `${configMaps}/kept` })).json).toEqual({
      ...made.json,
      apiVersion: "v1",
      kind: "ConfigMap",
    });
    expect((await client.call({ path: "/openid/v1/jwks" })).text).toBe(keys.text);
    // What a client saw before the restart is where it continues.
    const revision = textAt(made.json, "metadata", "resourceVersion") ?? "";
    await client.call({ method: "DELETE", path: `${configMaps}/kept` });
    const watch = await client.open({ path: `${configMaps}?watch=true&resourceVersion=${revision}&labelSelector=a` });
    expect(await take(eventsOf(watch), 1)).toMatchObject([{ type: "DELETED", object: { metadata: { name: "kept" } } }]);
    watch.destroy();
    client.close();
    await second.close();
  });

  it("F29 changes no idle object when it is started again, four times", async () => {
    const workload = {
      metadata: { name: "web" },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } },
      },
    };
    const deployments = "/apis/apps/v1/namespaces/default/deployments";
    const services = "/api/v1/namespaces/default/services";
    const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    const kinds = [
      "/apis/apiregistration.k8s.io/v1/apiservices",
      "/apis/apps/v1/deployments",
      "/apis/apps/v1/replicasets",
      "/apis/policy/v1/poddisruptionbudgets",
      "/apis/discovery.k8s.io/v1/endpointslices",
      ..."pods namespaces serviceaccounts secrets configmaps endpoints".split(" ").map((plural) => `/api/v1/${plural}`),
      ..."roles rolebindings clusterroles".split(" ").map((plural) => `/apis/rbac.authorization.k8s.io/v1/${plural}`),
    ];
    const versionsOf = async (call: (asked: Call) => Promise<Answer>): Promise<string[]> => {
      const lists = await Promise.all(kinds.map((path) => call({ path })));
      const lines = lists.flatMap(({ json }, index) =>
        objectsAt(json, "items").map(
          (item) =>
            `${kinds[index]} ${textAt(item, "metadata", "name")} ${textAt(item, "metadata", "resourceVersion")}`,
        ),
      );
      // Each start has a port of its own, which the endpoints of the hub name.
      return lines.filter((line) => !line.includes(" kubernetes "));
    };
    let before: string[] | undefined;
    for (let start = 0; start <= 4; start += 1) {
      const hub = await startHubOn(dir);
      const client = adminClient(hub.url, adminOf(hub));
      if (before === undefined) {
        await client.call({ method: "POST", path: deployments, body: workload });
        const service = { selector: { app: "web" }, ports: [{ port: 80 }] };
        await client.call({ method: "POST", path: services, body: { metadata: { name: "web" }, spec: service } });
        const budget = { minAvailable: 1, selector: { matchLabels: { app: "web" } } };
        await client.call({ method: "POST", path: budgets, body: { metadata: { name: "web" }, spec: budget } });
      }
      await hub.whenIdle();
      const versions = await versionsOf((asked) => client.call(asked));
      expect(versions.filter((line) => line.includes("replicasets web-"))).toHaveLength(1);
      expect(versions.filter((line) => /(?:endpoints|budgets) web |endpointslices web-/u.test(line))).toHaveLength(3);
      expect(versions, `start ${start}`).toEqual(before ?? versions);
      before = versions;
      client.close();
      await hub.close();
    }
  });

  it("locks its folder, and names the process that holds it", async () => {
    const hub = await startHubOn(dir);
    await expect(startHubOn(dir)).rejects.toMatchObject({
      code: "E_DIR_LOCKED",
      data: { owner: `process ${process.pid}` },
    });
    await hub.close();
    await (await startHubOn(dir)).close();
  });

  it("that cannot listen leaves its folder free", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const options = { dir, clock: realClock, random: realRandom, log: silentLog };
    await expect(startEmbeddedHub({ ...options, port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    other.close();
    await (await startEmbeddedHub({ ...options, port: 0 })).close();
  });

  it("does not serve a damaged store, and leaves it as it is", async () => {
    await (await startHubOn(dir)).close();
    const folder = join(dir, "store", "log");
    const names = (await readdir(folder)).filter((name) => /\.(?:ldb|log)$/u.test(name));
    for (const name of names) {
      const bytes = await readFile(join(folder, name));
      // In the middle of every file: one of them has the rows.
      for (
        let at = Math.floor(bytes.length / 2);
        at < Math.floor(bytes.length / 2) + 64 && at < bytes.length;
        at += 1
      ) {
        bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      }
      await writeFile(join(folder, name), bytes);
    }
    await expect(startHubOn(dir)).rejects.toMatchObject({ code: "E_STORE_DAMAGED" });
    await expect(startHubOn(dir)).rejects.toMatchObject({ code: "E_STORE_DAMAGED" });
  });

  it("is reached by every name it is given", async () => {
    const hub = await startEmbeddedHub({
      dir,
      host: "127.0.0.1",
      hosts: ["hub.example", "192.0.2.7"],
      clock: realClock,
      random: realRandom,
      log: silentLog,
    });
    for (const servername of ["localhost", "hub.example"]) {
      const client = adminClient(hub.url, { ...adminOf(hub), servername });
      expect((await client.call({ path: "/version" })).json).toMatchObject({ major: "1" });
      client.close();
    }
    await hub.close();
  });

  it("answers health checks and discovery", async () => {
    const hub = await startHubOn(dir);
    const client = adminClient(hub.url, adminOf(hub));
    expect((await client.call({ path: "/healthz" })).text).toBe("ok");
    const verbose = await client.call({ path: "/readyz?verbose" });
    expect(verbose.text).toMatch(/^\[\+\]ping ok\n.*\nreadyz check passed\n$/su);
    expect((await client.call({ path: "/livez/etcd" })).text).toBe("ok");
    expect((await client.call({ path: "/livez?exclude=ping" })).statusCode).toBe(200);
    const groups = await client.call({ path: "/apis" });
    expect(objectsAt(groups.json, "groups").map((group) => textAt(group, "name"))).toContain("apps");
    const core = await client.call({ path: "/api/v1" });
    expect(objectsAt(core.json, "resources")).toContainEqual(
      expect.objectContaining({ name: "configmaps", kind: "ConfigMap", namespaced: true, shortNames: ["cm"] }),
    );
    const aggregated = await client.call({
      path: "/apis",
      headers: { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" },
    });
    expect(aggregated.json).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" });
    const etag = aggregated.headers.etag ?? "";
    const again = await client.call({
      path: "/apis",
      headers: {
        accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "if-none-match": etag,
      },
    });
    expect(again.statusCode).toBe(304);
    const paths = await client.call({ path: "/openapi/v3" });
    expect(paths.json).toMatchObject({ paths: { "api/v1": { serverRelativeURL: expect.any(String) as string } } });
    client.close();
    await hub.close();
  });
});

/** The version of every stored object but that of the address where the hub listens now. */
function versionsOf({ operations }: EmbeddedHub): Readonly<Record<string, string | undefined>> {
  // Events are written after the work that they report.
  const stored = operations.definitions().filter(({ kind, verbs }) => verbs.includes("list") && kind !== "Event");
  const versions = stored.flatMap((definition) =>
    operations
      .list({ definition })
      .items.filter(({ metadata }) => metadata.name !== "kubernetes")
      .map(({ metadata }) => [`${definition.kind} ${metadata.name}`, metadata.resourceVersion] as const),
  );
  return Object.fromEntries(versions);
}
