import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer, TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

const maps = "/api/v1/namespaces/default";

/** What kube-apiserver 1.34 answers to the same requests; nothing of them is stored. */
describe("an apply with a value that its kind cannot hold", () => {
  let hub: TestHub;
  beforeAll(async () => void (hub = await startTestHub()));
  afterAll(() => hub.stop());

  it.each([
    {
      symptom: "a Secret's data that is plain text was stored as an empty token",
      path: `${maps}/secrets/a`,
      type: "/v1, Kind=Secret",
      good: { apiVersion: "v1", kind: "Secret", data: { token: "dG9rZW4=" } },
      bad: { data: { token: "plain-text" } },
      reason: "error decoding from json: illegal base64 data at input byte 5",
    },
    {
      symptom: "3.5 replicas were stored as 0",
      path: "/apis/apps/v1/namespaces/default/replicasets/a",
      type: "apps/v1, Kind=ReplicaSet",
      good: { apiVersion: "apps/v1", kind: "ReplicaSet", spec: replicaSet(3) },
      bad: { spec: replicaSet(3.5) },
      reason: "cannot convert float64 to int32",
    },
    {
      symptom: "a bad time became null",
      path: "/apis/coordination.k8s.io/v1/namespaces/default/leases/a",
      type: "coordination.k8s.io/v1, Kind=Lease",
      good: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", spec: { renewTime: "2026-01-02T03:04:05.000000Z" } },
      bad: { spec: { renewTime: "yesterday" } },
      reason: 'parsing time "yesterday" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "yesterday" as "2006"',
    },
    {
      symptom: "a bad quantity was dropped",
      path: `${maps}/podtemplates/a`,
      type: "/v1, Kind=PodTemplate",
      good: { apiVersion: "v1", kind: "PodTemplate", template: podTemplate("1Gi") },
      bad: { template: podTemplate("much") },
      reason: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    },
  ])("is refused: $symptom", async ({ path, type, good, bad, reason }) => {
    const metadata = { name: "a", namespace: "default" };
    const apply = (object: object): Promise<Answer> =>
      hub.call({
        method: "PATCH",
        path: `${path}?fieldManager=test&force=true`,
        headers: { "content-type": "application/apply-patch+yaml" },
        body: { ...object, metadata },
      });
    expect((await apply(good)).statusCode).toBe(201);
    const before = contentOf(await hub.call({ path }));
    const { statusCode, json } = await apply({ ...good, ...bad });
    expect({ statusCode, reason: json["reason"], message: json["message"] }).toEqual({
      statusCode: 500,
      reason: undefined,
      message: `failed to convert new object (default/a; ${type}) to proper version: unable to convert unstructured object to ${type}: ${reason}`,
    });
    expect(contentOf(await hub.call({ path }))).toEqual(before);
    // Nor does one create an object.
    expect((await apply({ ...good, ...bad, metadata: { ...metadata, name: "b" } })).statusCode).toBeGreaterThan(399);
    expect((await hub.call({ path: path.replace(/a$/u, "b") })).statusCode).toBe(404);
  });
});

/** Controllers write statuses meanwhile, and with them versions. */
function contentOf({ json: { status: _status, metadata: _metadata, ...content } }: Answer): object {
  return content;
}

function replicaSet(replicas: number): object {
  const labels = { app: "a" };
  return {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } },
  };
}

function podTemplate(memory: string): object {
  return { spec: { containers: [{ name: "a", image: "a", resources: { limits: { memory } } }] } };
}
