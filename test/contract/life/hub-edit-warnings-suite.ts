import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { installCrds } from "../../../src/install/install-crds.ts";
import { installKubefleet } from "../../../src/install/install-kubefleet.ts";
import { installObjects } from "../../../src/install/install-objects.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { hubEditPolicy } from "../../../src/model/hub-edit-policy.ts";
import { hubWriterGuard } from "../../../src/model/hub-writer-policy.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../src/model/well-known.ts";
import { declareObject } from "../../support/declare-object.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import type { RawAnswer, RawHub } from "../../support/raw-hub.ts";
import { rawHub } from "../../support/raw-hub.ts";
import { until } from "../../support/until.ts";

const apiVersion = "rollcall.dev/v1alpha1";
const writer = { fieldManager: "test" };

/** What the hub answers at the prompt to a user who writes declared kinds. */
export function describeHubEditWarnings(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`warnings for manual edits on ${name}`, () => {
    const workspace = `edits-${randomUUID().slice(0, 8)}`;
    const elsewhere = `elsewhere-${workspace}`;
    let hub: HubUnderTest;
    let api: KubeApi;
    let raw: RawHub;

    beforeAll(async () => {
      hub = await startHub();
      api = apiOf(readKubeconfig(hub.kubeconfig));
      raw = rawHub(hub.kubeconfig);
      const { signal } = new AbortController();
      await installCrds(api, signal);
      await installKubefleet(api, signal);
      await installObjects(api, [...hubWriterGuard, ...hubEditPolicy], signal);
      const labels = { [labelKeys.workspace]: "true" };
      await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: workspace, labels } }, writer);
      await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: elsewhere } }, writer);
      await declareObject(api, {
        apiVersion,
        kind: "Cluster",
        metadata: {
          name: "declared",
          namespace: workspace,
          annotations: { [annotationKeys.sourceFile]: "clusters/declared.yaml" },
        },
        spec: {},
      });
      // An API server takes a policy up a moment after it was created.
      const dryRun = `?dryRun=All`;
      const probe = (): Promise<RawAnswer> => send("POST", `${clusters}${dryRun}`, made("probe"));
      await until(probe, ({ warnings = [] }) => warnings.length > 0);
    });
    afterAll(async () => {
      for (const place of [workspace, elsewhere]) await api.delete({ type: resourceTypes.namespace, name: place });
      await api.close();
      await hub.stop();
    });

    const clusters = `/apis/${apiVersion}/namespaces/${workspace}/clusters`;
    const made = (object: string, namespace = workspace): object => {
      return { apiVersion, kind: "Cluster", metadata: { name: object, namespace }, spec: {} };
    };
    const send = (method: string, path: string, body?: object): Promise<RawAnswer> => {
      const text = body === undefined ? "" : JSON.stringify(body);
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const head = [
        `${method} ${path} HTTP/1.1`,
        `host: ${raw.authority}`,
        "user-agent: kubectl/v1.34.0",
        `content-type: ${type}`,
        `content-length: ${Buffer.byteLength(text)}`,
        "connection: close",
      ];
      return raw.send(`${head.join("\r\n")}\r\n\r\n${text}`);
    };
    const warningsOf = async (...call: Parameters<typeof send>): Promise<readonly string[]> => {
      const { code, warnings = [] } = await send(...call);
      expect(code).toBeLessThan(300);
      return warnings.map((warning) => warning.replace(/^.* with binding '[^']*': /u, "").replaceAll(workspace, "WS"));
    };

    it("warns that a new object is not served, and how it would be", async () => {
      expect(await warningsOf("POST", clusters, made("stray"))).toEqual([
        `Cluster WS/stray is not in git: it is served only when a file declares it. Push one with the annotation ` +
          `rollcall.dev/adopt: "true" (a Repository with spec.onHubObjects does this itself), or delete it.`,
      ]);
      const edit = { metadata: { labels: { site: "x" } } };
      expect(await warningsOf("PATCH", `${clusters}/stray`, edit)).toEqual([
        "Cluster WS/stray is not in git: it is served only when a file declares it.",
      ]);
      expect(await warningsOf("DELETE", `${clusters}/stray`)).toEqual([]);
    });

    it.each([
      ["a label", { metadata: { labels: { site: "x" } } }],
      ["a field", { spec: { displayName: "Changed" } }],
    ])("warns that %s of a declared object is not served, and names the file", async (_what, edit) => {
      expect(await warningsOf("PATCH", `${clusters}/declared`, edit)).toEqual([
        "Cluster WS/declared is declared in git (clusters/declared.yaml), which decides. Change the file and push " +
          "(a Repository with spec.onHubObjects does this itself).",
      ]);
    });

    it("warns that a declared object is created again after its deletion", async () => {
      expect(await warningsOf("DELETE", `${clusters}/declared?dryRun=All`)).toEqual([
        "Cluster WS/declared is declared in git (clusters/declared.yaml), so it is created again. To remove it, delete " +
          "it there and push (a Repository with spec.onHubObjects[].deletions does this itself).",
      ]);
    });

    it("warns in the same way for a kind without a namespace", async () => {
      const memberClusters = "/apis/cluster.kubernetes-fleet.io/v1beta1/memberclusters?dryRun=All";
      const spec = { identity: { kind: "User", name: "agent", apiGroup: "rbac.authorization.k8s.io" } };
      const metadata = { name: `stray-${workspace}` };
      const member = { apiVersion: "cluster.kubernetes-fleet.io/v1beta1", kind: "MemberCluster", metadata, spec };
      expect(await warningsOf("POST", memberClusters, member)).toEqual([
        `MemberCluster stray-WS is not in git: it is served only when a file declares it. Push one with the annotation ` +
          `rollcall.dev/adopt: "true" (a Repository with spec.onHubObjects does this itself), or delete it.`,
      ]);
    });

    it("refuses a name of a user that the client writes, where no policy writes it, too", async () => {
      const annotations = { [annotationKeys.writtenBy]: "bob" };
      const path = `${clusters}/declared?fieldManager=rollcall-git`;
      const { code, text } = await send("PATCH", path, { metadata: { annotations } });
      expect(code).toBe(403);
      expect(text).toContain("the annotation rollcall.dev/written-by is written by the API server: leave it out");
      const forged = { ...made("forged"), metadata: { name: "forged", namespace: workspace, annotations } };
      expect((await send("POST", clusters, forged)).code).toBe(403);
      // A namespace that becomes a workspace later has no false names either.
      const early = { ...forged, metadata: { ...forged.metadata, namespace: elsewhere } };
      expect((await send("POST", `/apis/${apiVersion}/namespaces/${elsewhere}/clusters`, early)).code).toBe(403);
    });

    it("does not warn of annotations, of writes by Rollcall, and outside the workspaces", async () => {
      const asked = { metadata: { annotations: { [annotationKeys.requestedAt]: "now" } } };
      expect(await warningsOf("PATCH", `${clusters}/declared`, asked)).toEqual([]);
      const label = { metadata: { labels: { site: "y" } } };
      expect(await warningsOf("PATCH", `${clusters}/declared?fieldManager=rollcall-git`, label)).toEqual([]);
      const away = made("away", elsewhere);
      expect(await warningsOf("POST", `/apis/${apiVersion}/namespaces/${elsewhere}/clusters`, away)).toEqual([]);
    });
  });
}
