import { request } from "node:https";
import { describe, expect, it } from "vitest";
import { objectsAt, textAt, valueAt } from "../../../src/core/read-json.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ForeignHubSession } from "../../support/foreign-hub-session.ts";

const { internalMemberCluster, memberCluster, work } = resourceTypes;

/** What readers of KubeFleet's kinds find: both versions, their short names, and the columns that they know. */
export function describeServedKinds(given: () => ForeignHubSession): void {
  describe("KubeFleet's kinds", () => {
    it.each([
      { type: memberCluster, shortNames: ["cluster"] },
      { type: internalMemberCluster, shortNames: ["imc"] },
      { type: work, shortNames: undefined },
    ])("are served as v1beta1 and v1: $type.plural", async ({ type, shortNames }) => {
      for (const version of ["v1beta1", "v1"]) {
        const { text } = await given().api.getRaw(`/apis/${type.group}/${version}`);
        const found = objectsAt(JSON.parse(text), "resources").find(({ name }) => name === type.plural);
        expect(found?.["shortNames"], version).toEqual(shortNames);
        expect(objectsAt(JSON.parse(text), "resources").map(({ name }) => name)).toContain(`${type.plural}/status`);
        const { items } = await given().api.list({ ...type, version });
        expect(items.every(({ apiVersion }) => apiVersion === `${type.group}/${version}`)).toBe(true);
      }
    });

    it.each(["v1beta1", "v1"])("print what KubeFleet's own prints of a MemberCluster in %s", async (version) => {
      const table = await tableOf(given(), `/apis/cluster.kubernetes-fleet.io/${version}/memberclusters`);
      const columns = objectsAt(table, "columnDefinitions").map((column) => [column["name"], column["priority"] ?? 0]);
      expect(columns).toEqual([
        ["Name", 0],
        ["Joined", 0],
        ["Age", 0],
        ["Member-Agent-Last-Seen", 0],
        ["Node-Count", 0],
        ["Available-CPU", 0],
        ["Available-Memory", 0],
        ["Allocatable-CPU", 1],
        ["Allocatable-Memory", 1],
      ]);
      const cells = objectsAt(table, "rows").map((row) => valueAt(row, "cells") as unknown[]);
      const joined = cells.find(([, isJoined]) => isJoined === "True") ?? [];
      expect(joined.slice(4)).toEqual(["2", "4", "9Gi", "7800m", "15Gi"]);
      // How long ago, in kubectl's format: seconds of this test.
      expect(String(joined[3])).toMatch(/^(?:\d+m)?\d+s$/u);
    });
  });
}

async function tableOf({ api, kubeconfig }: ForeignHubSession, path: string): Promise<unknown> {
  const tls = await readKubeconfig(kubeconfig).getTls();
  const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
  const text = await new Promise<string>((resolve, reject) => {
    const asked = request(
      new URL(path, api.server),
      { headers, ca: tls.caPem, cert: tls.certPem, key: tls.keyPem },
      (answer) => {
        let received = "";
        answer.setEncoding("utf8");
        answer.on("data", (piece: string) => (received += piece));
        answer.on("end", () => resolve(received));
        answer.on("error", reject);
      },
    );
    asked.on("error", reject);
    asked.end();
  });
  const table: unknown = JSON.parse(text);
  expect(textAt(table, "kind")).toBe("Table");
  return table;
}
