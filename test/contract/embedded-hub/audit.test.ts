import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import type { TLSSocket } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { numberAt } from "../../../src/core/read-json.ts";
import type { EmbeddedHub } from "../../../src/embedded-hub/embedded-hub.ts";
import { startEmbeddedHub } from "../../../src/embedded-hub/embedded-hub.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { until } from "../../support/until.ts";
import type { TestClient } from "./hub-client.ts";
import { adminClient, adminOf, webSocketHead } from "./hub-client.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const secrets = "/api/v1/namespaces/default/secrets";

/** What a hub records of requests; its log is whole when the hub has ended. */
async function record(
  policy: string | undefined,
  work: (client: TestClient, hub: EmbeddedHub) => Promise<void>,
): Promise<readonly JsonObject[]> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-audit-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [logFile, policyFile] = [join(folder, "audit.log"), join(folder, "policy.yaml")];
  if (policy !== undefined)
    await writeFile(policyFile, `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: ${policy}\n`);
  const audit = { logFile, ...(policy === undefined ? {} : { policyFile }) };
  const hub = await startEmbeddedHub({ dir: folder, clock: realClock, random: realRandom, log: silentLog, audit });
  const client = adminClient(hub.url, adminOf(hub));
  await work(client, hub);
  client.close();
  await hub.close();
  const lines = (await readFile(logFile, "utf8")).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as JsonObject);
}

describe("the audit log of a hub", () => {
  it("has one line without bodies for each request when there is no policy", async () => {
    const events = await record(undefined, async ({ call }) => {
      await call({ method: "POST", path: secrets, body: { metadata: { name: "s" }, stringData: { key: "hidden" } } });
      await call({ path: `${secrets}/s` });
      await call({ method: "DELETE", path: `${secrets}/absent` });
    });
    expect(events.map(({ stage, verb, level }) => [stage, verb, level])).toEqual([
      ["ResponseComplete", "create", "Metadata"],
      ["ResponseComplete", "get", "Metadata"],
      ["ResponseComplete", "delete", "Metadata"],
    ]);
    expect(JSON.stringify(events)).not.toMatch(/hidden|aGlkZGVu|Object":/u);
    expect(events[0]).toMatchObject({ objectRef: { resource: "secrets", namespace: "default", name: "s" } });
    expect(events[2]).toMatchObject({ responseStatus: { code: 404, reason: "NotFound", status: "Failure" } });
  });

  it("has the level of Pod Security of a Pod, and what the audit level would not admit", async () => {
    const labels = { "pod-security.kubernetes.io/audit": "baseline" };
    const pods = "/api/v1/namespaces/watched/pods";
    const spec = { hostNetwork: true, containers: [{ name: "a", image: "none" }] };
    const events = await record(
      "[{level: Metadata, resources: [{group: '', resources: [pods]}]}]",
      async ({ call }) => {
        await call({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "watched", labels } } });
        const account = { path: "/api/v1/namespaces/watched/serviceaccounts/default" };
        await expect.poll(async () => (await call(account)).statusCode).toBe(200);
        const { statusCode } = await call({ method: "POST", path: pods, body: { metadata: { name: "p" }, spec } });
        expect(statusCode).toBe(201);
      },
    );
    expect(events.at(-1)?.["annotations"]).toMatchObject({
      "pod-security.kubernetes.io/enforce-policy": "privileged:latest",
      "pod-security.kubernetes.io/audit-violations":
        'would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    });
  });

  it("keeps every digit of bodies, and writes a patch in YAML as JSON", async () => {
    const intent = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {b: '1'}\n";
    const events = await record(
      "[{level: RequestResponse, verbs: [patch], omitManagedFields: true}]",
      async ({ call }) => {
        const headers = { "content-type": "application/apply-patch+yaml" };
        await call({ method: "PATCH", path: `${maps}/a?fieldManager=m`, body: intent, headers });
        const body = '{"metadata":{"generation":9007199254740993}}';
        const merge = { "content-type": "application/merge-patch+json" };
        await call({ method: "PATCH", path: `${maps}/a`, body, headers: merge });
      },
    );
    const ends = events.filter(({ stage }) => stage === "ResponseComplete");
    const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", labels: { b: "1" } } };
    expect(ends[0]).toMatchObject({ requestObject: applied, responseObject: applied });
    expect(JSON.stringify(ends)).not.toContain("managedFields");
    expect(ends).toHaveLength(2);
  });

  it("has the end of a watch by WebSocket when its connection ends, and no beginning of one that is refused", async () => {
    const rules = "[{level: Metadata, resources: [{group: '', resources: [secrets]}]}]";
    const events = await record(rules, async ({ call }, hub) => {
      const open = async (head: string): Promise<TLSSocket> => {
        const socket = connect({ ...adminOf(hub), port: hub.port, host: "127.0.0.1", ALPNProtocols: ["http/1.1"] });
        await once(socket, "secureConnect");
        socket.write(`GET ${secrets}?watch=1 HTTP/1.1\r\n${head}\r\n\r\n`);
        await once(socket, "data");
        return socket;
      };
      (await open(webSocketHead)).destroy();
      (await open(webSocketHead.replace("Version: 13", "Version: 12"))).destroy();
      const total = async (): Promise<string> => (await call({ path: "/metrics" })).text;
      await expect.poll(total).toContain("apiserver_audit_event_total 6\n");
    });
    const seen = events.map(({ stage, responseStatus }) => [stage, numberAt(responseStatus, "code")]);
    expect(seen.filter(([stage]) => stage !== "RequestReceived").sort()).toEqual([
      ["ResponseComplete", 101],
      ["ResponseComplete", 400],
      ["ResponseStarted", 101],
      ["ResponseStarted", 400],
    ]);
  });

  it("has the end of an answer that waits behind another one when the hub closes", async () => {
    const rules = "[{level: Metadata, resources: [{group: '', resources: [configmaps]}]}]";
    const events = await record(rules, async ({ call }, hub) => {
      const socket = connect({ ...adminOf(hub), port: hub.port, host: "127.0.0.1", ALPNProtocols: ["http/1.1"] });
      onTestFinished(() => void socket.destroy());
      await once(socket, "secureConnect");
      const head = "HTTP/1.1\r\nhost: hub\r\n\r\n";
      socket.write(`GET ${maps}?watch=1 ${head}GET ${maps}/absent ${head}`);
      const total = async (): Promise<string> => (await call({ path: "/metrics" })).text;
      // Both arrived, and the watch began.
      await expect.poll(total).toContain("apiserver_audit_event_total 3\n");
    });
    const seen = events.map(({ stage, requestURI, responseStatus }) => [stage, requestURI, responseStatus]);
    expect(seen).toContainEqual(["ResponseComplete", `${maps}/absent`, expect.objectContaining({ code: 404 })]);
    expect(seen).toContainEqual(["ResponseComplete", `${maps}?watch=1`, expect.objectContaining({ code: 200 })]);
  });

  it("leaves out bodies of more than 4 Mi characters", async () => {
    const data = { key: "x".repeat(1_000_000) };
    const rules = "[{level: Request, verbs: [create]}, {level: RequestResponse, omitStages: [RequestReceived]}]";
    const events = await record(rules, async ({ call }) => {
      for (const name of ["a", "b", "c", "d", "e"]) {
        await call({ method: "POST", path: maps, body: { metadata: { name }, data } });
      }
      await call({ path: maps });
      await call({ path: `${maps}/a` });
    });
    expect(events[1]).toMatchObject({ requestObject: { data } });
    const [list, one] = events.slice(-2);
    expect(list).toMatchObject({ annotations: { "audit.k8s.io/truncated": "true" }, responseStatus: { code: 200 } });
    expect(list).not.toHaveProperty("responseObject");
    expect(one).toMatchObject({ responseObject: { data } });
  });

  it("counts its events, and names none of them without a log", async () => {
    await record(undefined, async ({ call }) => {
      expect((await call({ path: maps })).headers["audit-id"]).toMatch(/^[0-9a-f-]{36}$/u);
      const text = async (): Promise<string> => (await call({ path: "/metrics" })).text;
      // A request is counted a moment after its client has the whole answer. Each read of the log is one, too.
      await until(text, (seen) => /^apiserver_audit_event_total [1-9]/mu.test(seen));
    });
  });

  it("refuses to start with a policy that it does not understand", async () => {
    const work = () => Promise.resolve();
    await expect(record("[{level: Everything}]", work)).rejects.toMatchObject({ code: "E_USAGE" });
  });
});
