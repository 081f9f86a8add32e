import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubCall } from "../../support/call-hub.ts";
import { callHub } from "../../support/call-hub.ts";
import type { ForeignHubSession } from "../../support/foreign-hub-session.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";

const { cluster, secret } = resourceTypes;

interface RecordedCall {
  /** What had happened before it. */
  readonly when: "declared" | "Work created" | "leaving";
  readonly method: string;
  readonly path: string;
  readonly accept?: string;
  readonly type?: string;
  readonly body?: unknown;
  readonly status: number;
}

/**
 * What KubeFleet's member agent (main, e160c1cd) sent to hubs that Rollcall served, by a proxy between them: a start, two
 * heartbeats, a Work that is applied, a leave. Names, uids and versions are replaced by what is in braces; managedFields, which
 * the agent sends back as it read them, are left out.
 */
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "recorded-calls.json"), "utf8"),
) as readonly RecordedCall[];

/** The calls of the real agent, one after the other, as they were. */
export function describeReplay(given: () => ForeignHubSession): void {
  describe("the recorded calls of KubeFleet's agent", () => {
    it("are answered as they were when they were recorded", async () => {
      const session = given();
      const name = `replay-${randomUUID().slice(0, 6)}`;
      const home = `fleet-member-${name}`;
      const ca = (await readKubeconfig(session.kubeconfig).getTls()).caPem ?? "";
      await session.declareCluster(name, { protocol: "kubefleet" });
      const token = await session.eventually("its token", async () => {
        const encoded = textAt(await session.get(secret, `${name}-hub-cluster-access-token`), "data", "token");
        return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
      });
      const names: Record<string, string> = {
        name,
        home,
        workspace: session.workspace,
        // A watch of the agent lasts five minutes and more.
        timeout: "1",
        resourceVersion: "",
        uid: "",
      };
      const fill = (text: string): string => text.replace(/\{([a-zA-Z]+)\}/gu, (_all, key: string) => names[key] ?? "");
      const call = (method: string, path: string, more: Partial<RecordedCall> = {}): Promise<HubCall> => {
        const { accept, type, body } = more;
        const sent = body === undefined ? {} : { body: JSON.parse(fill(JSON.stringify(body))) as unknown };
        const headers = { ...(accept === undefined ? {} : { accept }), ...(type === undefined ? {} : { type }) };
        return callHub({ server: session.api.server, ca, token, method, path: fill(path), ...sent, ...headers });
      };
      /** The version that the agent has from its watch. */
      const look = async (path: string): Promise<unknown> => {
        const [, list = "", item = ""] = /^(.*)\/([^/]+)$/u.exec(fill(path).replace(/\/status$/u, "")) ?? [];
        const seen = objectsAt((await call("GET", list)).body, "items").find(
          (object) => textAt(object, "metadata", "name") === item,
        );
        names["resourceVersion"] = textAt(seen, "metadata", "resourceVersion") ?? "";
        names["uid"] = textAt(seen, "metadata", "uid") ?? "";
        return seen;
      };
      const internalPath = "/apis/cluster.kubernetes-fleet.io/v1beta1/namespaces/{home}/internalmemberclusters/{name}";
      const isReported = async (text: string): Promise<boolean> => {
        const conditions = objectsAt(await session.get(cluster, name), "status", "conditions");
        return conditions.some((condition) => textAt(condition, "message")?.includes(text));
      };
      const before = {
        declared: () =>
          session.eventually("it is told to join", async () => textAt(await look(internalPath), "spec", "state")),
        "Work created": async () => {
          await session.eventually(
            "its cluster is ready",
            async () => conditionOf(await session.get(cluster, name), "Ready") === "True",
          );
          await session.api.create(workOf(home), { fieldManager: "test" });
        },
        leaving: async () => {
          await session.eventually("the Work is shown", () => isReported("1 of 1 Works are applied, 1 available."));
          const ref = { type: cluster, namespace: session.workspace, name };
          const annotations = { "rollcall.dev/leave": "c".repeat(40) };
          await session.api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "test" });
          await session.eventually(
            "it is told to leave",
            async () => textAt(await look(internalPath), "spec", "state") === "Leave",
          );
        },
      } as const satisfies Record<RecordedCall["when"], () => Promise<unknown>>;
      let when: RecordedCall["when"] | undefined;
      for (const { method, path, status, ...more } of recorded) {
        if (more.when !== when) await before[(when = more.when)]();
        if (method === "PUT") await look(path);
        const answered = await call(method, path, more);
        expect(answered.status, `${answered.call}: ${JSON.stringify(answered.body)}`).toBe(status);
      }
      await session.eventually("it has left", async () => (await session.get(cluster, name)) === undefined);
    });
  });
}

function workOf(namespace: string) {
  const manifest = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "web", namespace: "apps" },
    data: { key: "value" },
  };
  return {
    apiVersion: "placement.kubernetes-fleet.io/v1beta1",
    kind: "Work",
    metadata: { name: "web", namespace },
    spec: { workload: { manifests: [manifest] } },
  };
}
