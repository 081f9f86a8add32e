import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { describeRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { Operator } from "../../../src/operations/operations.ts";
import {
  approveDeletions,
  requestRun,
  revokeCluster,
  suspendCluster,
  suspendRepository,
} from "../../../src/operations/operations.ts";

const cluster: ObjectRef = { type: resourceTypes.cluster, namespace: "fleet", name: "c1" };
const repository: ObjectRef = { type: resourceTypes.repository, namespace: "rollcall-system", name: "fleet" };
/** A Cluster that the daemon applied from a file. */
const fromGit: JsonObject = {
  metadata: {
    name: "c1",
    labels: { "rollcall.dev/repository": "fleet" },
    managedFields: [
      { manager: "rollcall-git", operation: "Apply", apiVersion: "rollcall.dev/v1alpha1", fieldsType: "FieldsV1" },
    ],
  },
};
const nowMs = Date.parse("2026-11-22T10:00:00.500Z");

/** A hub with one object, which records what is written. */
function openHub(object: JsonObject = {}): { readonly operator: Operator; readonly written: unknown[] } {
  const written: unknown[] = [];
  const known = { metadata: { name: "fleet", namespace: "rollcall-system" }, ...object } as unknown as KubeObject;
  const hubApi: Pick<KubeApi, "get" | "mergePatch"> = {
    get: async () => known,
    mergePatch: async (ref, body, { fieldManager }) => {
      written.push([describeRef(ref), fieldManager, body]);
      return known;
    },
  };
  const { signal } = new AbortController();
  return { operator: { hubApi: hubApi as KubeApi, user: "oidc:ada/x@example.com", nowMs, signal }, written };
}

describe("operations", () => {
  it("ask for a run by a time that the daemon repeats in its status", async () => {
    const { operator, written } = openHub();
    expect(await requestRun(operator, repository)).toEqual({
      request: "2026-11-22T10:00:00.500Z",
      isSuspended: false,
      message:
        "Repository/rollcall-system/fleet is asked to reconcile (request 2026-11-22T10:00:00.500Z). A running daemon handles it at once.",
    });
    const annotations = { "rollcall.dev/requested-at": "2026-11-22T10:00:00.500Z" };
    expect(written).toEqual([["Repository/rollcall-system/fleet", "rollcall-operator", { metadata: { annotations } }]]);
    const suspended = await requestRun(openHub({ spec: { suspend: true } }).operator, repository);
    expect(suspended).toMatchObject({ isSuspended: true });
    expect(suspended.message).toContain("nothing happens before rollcall resume");
  });

  it("suspend and resume a Repository by its field", async () => {
    const { operator, written } = openHub();
    const said = [
      await suspendRepository(operator, { repository, isSuspended: true }),
      await suspendRepository(operator, { repository, isSuspended: false }),
    ];
    expect(said).toEqual([
      "Repository/rollcall-system/fleet is suspended.",
      "Repository/rollcall-system/fleet is resumed.",
    ]);
    expect(written).toEqual([
      ["Repository/rollcall-system/fleet", "rollcall-operator", { spec: { suspend: true } }],
      ["Repository/rollcall-system/fleet", "rollcall-operator", { spec: { suspend: false } }],
    ]);
  });

  it("A256 name a cluster as one word of a shell in a command", async () => {
    const odd = { ...cluster, name: "n; touch y" };
    const text = await suspendCluster(openHub().operator, { cluster: odd, isSuspended: true });
    expect(text).toContain("until rollcall resume 'fleet/n; touch y'.");
  });

  it("suspend and resume a cluster by its annotation", async () => {
    const { operator, written } = openHub();
    const said = [
      await suspendCluster(operator, { cluster, isSuspended: true }),
      await suspendCluster(operator, { cluster, isSuspended: false }),
    ];
    expect(said).toEqual([
      "Cluster/fleet/c1 is suspended until rollcall resume fleet/c1.",
      "Cluster/fleet/c1 is resumed.",
    ]);
    const set = (value: string | null) => ({ metadata: { annotations: { "rollcall.dev/reconcile": value } } });
    expect(written).toEqual([
      ["Cluster/fleet/c1", "rollcall-operator", set("disabled")],
      ["Cluster/fleet/c1", "rollcall-operator", set(null)],
    ]);
  });

  it("revoke a cluster in the name of the user, in characters that stay one part of the record", async () => {
    const { operator, written } = openHub(fromGit);
    expect(await revokeCluster(operator, cluster)).toBe(
      "Cluster/fleet/c1 is revoked. To admit it again, change its file; install its agent again if it does not return.",
    );
    const annotations = { "rollcall.dev/revoked": "-/oidc_ada_x_example.com/2026-11-22T10:00:00Z" };
    expect(written).toEqual([["Cluster/fleet/c1", "rollcall-operator", { metadata: { annotations } }]]);
  });

  it("name the annotation to remove where a token admitted the revoked cluster and it has no file to change", async () => {
    expect(await revokeCluster(openHub().operator, cluster)).toBe(
      "Cluster/fleet/c1 is revoked. To admit it again, remove its annotation rollcall.dev/revoked: no file declares it; install its agent again if it does not return.",
    );
  });

  it("refuse to revoke a cluster that the daemon does not serve, and one that is not there, and write nothing", async () => {
    const status = { conditions: [{ type: "Accepted", status: "False", reason: "NotInGit", message: "" }] };
    const byHand = openHub({ kind: "Cluster", metadata: { namespace: "fleet", name: "c1" }, status });
    const refused = { code: "E_USAGE", message: expect.stringContaining("it has no credentials to revoke") as string };
    await expect(revokeCluster(byHand.operator, cluster)).rejects.toMatchObject(refused);
    expect(byHand.written).toEqual([]);
    // A file declares it since its status was written.
    await expect(revokeCluster(openHub({ ...fromGit, status }).operator, cluster)).resolves.toContain("is revoked");
    const { operator } = openHub();
    const empty = { ...operator, hubApi: { ...operator.hubApi, get: async () => undefined } };
    await expect(revokeCluster(empty, cluster)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
  });

  it("report of a revoked cluster that leaves that its agent is not waited for", async () => {
    const { operator } = openHub({ metadata: { name: "c1", annotations: { "rollcall.dev/leave": "abc" } } });
    expect(await revokeCluster(operator, cluster)).toContain("Its offboarding does not wait for its agent.");
  });

  it("approve what is withheld, and write nothing when that would let nothing through", async () => {
    const withheld = { count: 2, approvable: 2, commit: "0123456789abcdef", objects: ["Cluster/fleet/c1"] };
    const { operator, written } = openHub({ spec: { url: "https://git.example.org/fleet.git" }, status: { withheld } });
    const few = approveDeletions(operator, { repository, commit: "0123456", count: 1 });
    await expect(few).rejects.toMatchObject({ code: "E_APPROVAL" });
    expect(written).toEqual([]);
    const said = await approveDeletions(operator, { repository, commit: "0123456", count: 2 });
    expect(said).toContain("2 withheld removals of commit 0123456789ab are approved");
    const annotations = { "rollcall.dev/approved-deletions": "0123456789abcdef 2 2026-11-22T10:00:00Z" };
    expect(written).toEqual([["Repository/rollcall-system/fleet", "rollcall-operator", { metadata: { annotations } }]]);
  });
});
