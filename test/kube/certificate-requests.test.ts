import { X509Certificate, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/core/read-json.ts";
import { fixedRequestPem, requestObject } from "../support/certificate-request.ts";
import { twoHubs } from "../support/two-hubs.ts";
import { until } from "../support/until.ts";
import { Normalizer } from "./differential/replay.ts";
import type { RawClient, Request } from "./differential/replay.ts";

const collection = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const run = randomUUID().slice(0, 8);
const merge = "application/merge-patch+json";
const applied = "application/apply-patch+yaml";
const condition = (type: string, more: JsonObject = {}): JsonObject => ({ type, status: "True", reason: "A", ...more });
const block = "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n";
const empty = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n";
const certificate = Buffer.from(block).toString("base64");

function create(name: string, spec: JsonObject = {}, more: Partial<Request> = {}): Request {
  const body = requestObject(`${name}-RUN`, fixedRequestPem, { signerName: "example.org/RUN", ...spec });
  return { method: "POST", path: collection, body, ...more };
}

function patch(name: string, subresource: string, status: JsonObject, more: Partial<Request> = {}): Request {
  const { apiVersion, kind, metadata } = requestObject(`${name}-RUN`, "");
  const body = { apiVersion, kind, metadata, status };
  const path = `${collection}/${name}-RUN${subresource}?fieldManager=a`;
  return { method: "PATCH", path, contentType: merge, body, ...more };
}

const written: readonly Request[] = [
  create("a", { username: "other", uid: "1", groups: ["b"], extra: { c: ["d"] } }),
  create("by-user", {}, { user: "somebody" }),
  create("bad", { request: "YQ==" }),
  create("bad", { request: "" }),
  create("bad", { request: null }),
  create("bad", { signerName: "" }),
  create("bad", { signerName: "a.b" }),
  create("bad", { signerName: "kubernetes.io/legacy-unknown" }),
  create("bad", { signerName: "Example.org/a_b" }),
  create("bad", { usages: [] }),
  create("bad", { usages: ["client auth", "none", "client auth"] }),
  create("bad", { expirationSeconds: 599 }),
  create("bad:name/with", {}),
  create("any:name_Is taken"),
  patch("a", "", { conditions: [condition("Approved")] }),
  patch("a", "/status", { conditions: [condition("Approved")] }),
  patch("a", "/status", { certificate }),
  patch("a", "/status", { certificate: "YQ==" }),
  ...[empty, `${empty}${block}`, `${block}${empty}`].map((pem) =>
    patch("a", "/status", { certificate: Buffer.from(pem).toString("base64") }),
  ),
  patch("a", "/approval", { certificate }),
  patch("a", "/approval", { conditions: [condition("Approved"), condition("Denied")] }),
  patch("a", "/approval", { conditions: [condition("Approved"), condition("Approved")] }),
  patch("a", "/approval", { conditions: [condition("Approved", { status: "False" })] }),
  patch("a", "/approval", { conditions: [condition("Approved")] }),
  patch("a", "/approval", { conditions: [] }),
  patch("a", "/approval", { conditions: [condition("Denied")] }),
  patch("a", "/status", { conditions: [] }),
  patch("a", "/status", { conditions: [condition("Approved", { reason: "B" }), condition("Failed")] }),
  patch("a", "/status", { conditions: [condition("Approved", { reason: "B" }), condition("Other")] }),
  patch("by-user", "/approval", { conditions: [condition("Denied")] }, { contentType: applied }),
  patch("by-user", "/status", { conditions: [condition("Failed")] }, { contentType: applied }),
  patch("by-user", "/approval", { conditions: [condition("Other", { status: "None" })] }),
  patch("by-user", "/approval", { conditions: [condition("")] }),
  { method: "GET", path: `${collection}?fieldSelector=spec.signerName%3Dexample.org%2FRUN` },
  { method: "GET", path: `${collection}?fieldSelector=spec.username%3Da` },
  { method: "GET", path: `${collection}/a-RUN/approval` },
  {
    method: "GET",
    path: `${collection}?fieldSelector=spec.signerName%3Dexample.org%2FRUN`,
    accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
  },
  { method: "DELETE", path: `${collection}/a-RUN` },
  { method: "DELETE", path: `${collection}/by-user-RUN` },
];

describe("CertificateSigningRequests, beside kube-apiserver", () => {
  const clients = twoHubs();

  /** Fingerprints of the administrators are each hub's own, and descriptions are compared elsewhere. */
  function steady(value: Json): Json {
    const text = JSON.stringify(value, (key, item: unknown) => (key === "description" ? undefined : item));
    return JSON.parse(
      text
        .replace(/X509SHA256=[0-9a-f]{64}/gu, "X509SHA256=HASH")
        .replace(/"(?:last\w+Time|time)":"[^"]+"/gu, '"time":"TIME"')
        .replace(/"\d+[smh]\d*s?"/gu, '"AGE"'),
    ) as Json;
  }

  async function replay(client: RawClient): Promise<Json[]> {
    const normalizer = new Normalizer([[run, "RUN"]]);
    const answers: Json[] = [];
    for (const { path, body, ...rest } of written) {
      const text = body === undefined ? {} : { body: JSON.stringify(body).replaceAll("RUN", run) };
      const answer = normalizer.answer(await client.send({ ...rest, path: path.replaceAll("RUN", run), ...text }));
      answers.push(steady([answer.code, [...answer.warnings], answer.body]));
    }
    return answers;
  }

  it("have the same answers to all verbs and subresources", async () => {
    const [here = [], there = []] = await Promise.all(clients.map(replay));
    const differences = here.flatMap((answer, index) =>
      JSON.stringify(sorted(answer)) === JSON.stringify(sorted(there[index] ?? null))
        ? []
        : [{ request: written[index], embedded: answer, real: there[index] }],
    );
    expect(differences.slice(0, 4)).toEqual([]);
  });

  function sorted(value: Json): Json {
    return JSON.parse(
      JSON.stringify(value, (_key, item: unknown) =>
        typeof item === "object" && item !== null && !Array.isArray(item)
          ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
          : item,
      ),
    ) as Json;
  }

  const signer = "kubernetes.io/kube-apiserver-client";

  async function outcome(client: RawClient, index: number, spec: JsonObject): Promise<Json> {
    const name = `signed-${run}-${index}`;
    const path = `${collection}/${name}`;
    const made = await client.send({
      method: "POST",
      path: collection,
      body: requestObject(name, fixedRequestPem, { signerName: signer, ...spec }),
    });
    expect(made.code, JSON.stringify(made.body)).toBe(201);
    const status = { conditions: [condition("Approved")] };
    const approval = await client.send({
      method: "PATCH",
      path: `${path}/approval`,
      contentType: merge,
      body: { status },
    });
    expect(approval.code).toBe(200);
    const { body } = await until(
      () => client.send({ method: "GET", path }),
      (answer) =>
        textAt(answer.body, "status", "certificate") !== undefined ||
        objectsAt(answer.body, "status", "conditions").length > 1,
    );
    await client.send({ method: "DELETE", path });
    const pem = textAt(body, "status", "certificate");
    const conditions = objectsAt(body, "status", "conditions").map(({ type, status: is, reason, message }) => [
      type ?? null,
      is ?? null,
      reason ?? null,
      message ?? null,
    ]);
    const owners = objectsAt(body, "metadata", "managedFields").map((entry) => [
      textAt(entry, "manager") ?? "",
      textAt(entry, "subresource") ?? "",
      objectAt(entry, "fieldsV1") ?? {},
    ]);
    return [conditions, owners, pem === undefined ? null : shown(Buffer.from(pem, "base64"))];
  }

  function shown(pem: Buffer): Json {
    const { subject, keyUsage, ca, validFrom, validTo } = new X509Certificate(pem);
    return { subject, keyUsage, ca, seconds: (Date.parse(validTo) - Date.parse(validFrom)) / 1000 };
  }

  it.each([
    { expirationSeconds: 600 },
    { expirationSeconds: 28_799 },
    { expirationSeconds: 28_800 },
    { expirationSeconds: 3600, usages: ["client auth", "digital signature", "key encipherment"] },
    { usages: ["server auth"] },
    { usages: ["digital signature"] },
    { usages: ["client auth", "any"] },
  ])("for client certificates are answered in the same way: %j", async (spec) => {
    const index = JSON.stringify(spec).length;
    const [here, there] = await Promise.all(clients.map((client) => outcome(client, index, spec)));
    expect(here).toEqual(there);
  });
});
