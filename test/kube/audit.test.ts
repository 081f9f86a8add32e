import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { Pool } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../../src/core/json.ts";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import { silentLog } from "../../src/core/log.ts";
import { startEmbeddedHub } from "../../src/embedded-hub/embedded-hub.ts";
import { startControlPlane } from "../support/control-plane.ts";
import { hubPool } from "../support/hub-pool.ts";
import { realClock, realRandom } from "../support/real-time.ts";
import { until } from "../support/until.ts";
import type { AuditedRequest } from "./audit/requests.ts";
import { policy, requests } from "./audit/requests.ts";

type Event = { readonly [name: string]: Json | undefined };

/** Of one request: its lines of the log, in order. */
type Trail = readonly Event[];

describe("the audit log", () => {
  let folder: string;
  const stops: (() => Promise<void>)[] = [];
  const hubs: { readonly kubeconfig: string; readonly logFile: string }[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-audit-"));
    const policyFile = join(folder, "policy.yaml");
    await writeFile(policyFile, policy);
    const [own, real] = [join(folder, "own.log"), join(folder, "real.log")];
    const hub = await startEmbeddedHub({
      dir: join(folder, "hub"),
      clock: realClock,
      random: realRandom,
      log: silentLog,
      audit: { logFile: own, policyFile },
    });
    stops.push(() => hub.close());
    const flags = [`--audit-log-path=${real}`, `--audit-policy-file=${policyFile}`];
    const plane = await startControlPlane({ extraApiServerArgs: flags });
    stops.push(() => plane.stop());
    hubs.push({ kubeconfig: hub.adminKubeconfig, logFile: own }, { kubeconfig: plane.kubeconfig, logFile: real });
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
    await rm(folder, { recursive: true, force: true });
  });

  it(`has the same events as kube-apiserver's, for ${requests.length} requests`, async () => {
    const [own, real] = await Promise.all(hubs.map(({ kubeconfig, logFile }) => trailsOf(kubeconfig, logFile)));
    expect(own).toEqual(real);
  });

  it("names the answer by the id of its events, and has each stage of a watch", async () => {
    const trails = await Promise.all(
      hubs.map(async ({ kubeconfig, logFile }) => {
        const pool = hubPool(kubeconfig);
        const path = "/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1";
        const { headers, body } = await pool.request({ method: "GET", path, headers: { "audit-id": "watch" } });
        await body.text();
        await pool.close();
        expect(headers["audit-id"]).toBe("watch");
        const events = await until(
          () => eventsOf(logFile, "watch"),
          (found) => found.length === 3,
        );
        return normalized(events);
      }),
    );
    expect(trails[0]).toEqual(trails[1]);
    expect(trails[0]?.map((event) => event["stage"])).toEqual([
      "RequestReceived",
      "ResponseStarted",
      "ResponseComplete",
    ]);
  });
});

function idOf({ headers }: AuditedRequest, index: number): string {
  return headers?.["audit-id"] ?? `id-${index}`;
}

/** One request after the other, each with its events. */
async function trailsOf(kubeconfig: string, logFile: string): Promise<readonly (readonly [string, Trail])[]> {
  const pool = hubPool(kubeconfig);
  const cluster: unknown = objectsAt(parse(kubeconfig), "clusters")[0];
  const ca = Buffer.from(textAt(cluster, "cluster", "certificate-authority-data") ?? "", "base64");
  const strangers = new Pool(textAt(cluster, "cluster", "server") ?? "", { connect: { ca } });
  const trails: (readonly [string, Trail])[] = [];
  for (const [index, request] of requests.entries()) {
    await send(request.isStranger === true ? strangers : pool, request, idOf(request, index));
  }
  await send(pool, { path: "/version" }, "end");
  await until(
    () => eventsOf(logFile, "end"),
    (found) => found.some((event) => event["stage"] === "ResponseComplete"),
  );
  for (const [index, request] of requests.entries()) {
    const events = await eventsOf(logFile, idOf(request, index));
    trails.push([`${index} ${request.method ?? "GET"} ${request.path}`, normalized(events)]);
  }
  await Promise.all([pool.close(), strangers.close()]);
  return trails;
}

async function send(pool: Pick<Pool, "request">, request: AuditedRequest, id: string): Promise<void> {
  const { method = "GET", path, body, headers } = request;
  const answer = await pool.request({
    method,
    path,
    headers: { "content-type": "application/json", "user-agent": "audited/1", "audit-id": id, ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  await answer.body.text();
}

async function eventsOf(logFile: string, id: string): Promise<readonly Event[]> {
  const lines = (await readFile(logFile, "utf8")).split("\n").filter((line) => line.includes(`"auditID":"${id}"`));
  return lines.map((line) => JSON.parse(line) as Event);
}

const chosen: Readonly<Record<string, string>> = {
  requestReceivedTimestamp: "<time>",
  stageTimestamp: "<time>",
  creationTimestamp: "<time>",
  time: "<time>",
  uid: "<uid>",
  resourceVersion: "<version>",
  "authentication.kubernetes.io/credential-id": "<credential>",
  "authorization.k8s.io/reason": "<reason>",
  // Of columns of tables, which the embedded hub does not describe.
  description: "<description>",
};

function normalized(events: readonly Event[]): Trail {
  return JSON.parse(JSON.stringify(events), (key, value: unknown) => {
    if (Object.hasOwn(chosen, key) && (value !== "" || key === "description")) return chosen[key];
    // kube-apiserver writes options of a DELETE as a type of its own program, the embedded hub as they were sent.
    if (key === "requestObject" && textAt(value, "propagationPolicy") !== undefined) {
      return { propagationPolicy: textAt(value, "propagationPolicy") };
    }
    if (typeof value !== "string") return value;
    return value
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu, "<uid>")
      .replace(/made-[a-z0-9]{5}/u, "made-<name>")
      .replace(/^\d+s$/u, "<age>");
  }) as Trail;
}
