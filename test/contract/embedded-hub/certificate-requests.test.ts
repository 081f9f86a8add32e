import "reflect-metadata";
import { Name } from "@peculiar/x509";
import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { objectAt, objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { MadeRequest } from "../../support/certificate-request.ts";
import { makeCertificateRequest, requestObject } from "../../support/certificate-request.ts";
import type { Answer, TestHub } from "./hub-client.ts";
import { adminClient, eventsOf, startTestHub, take } from "./hub-client.ts";

const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const approved = { type: "Approved", status: "True", reason: "Tested", message: "tested" };
let server: TestHub;
let made: MadeRequest;

/** `asker` may create, read and patch requests and their subresources, and has no right to a signer. */
beforeAll(async () => {
  server = await startTestHub();
  made = await makeCertificateRequest("CN=agent-1,O=agents");
  const rules = [
    {
      apiGroups: ["certificates.k8s.io"],
      resources: [
        "certificatesigningrequests",
        "certificatesigningrequests/approval",
        "certificatesigningrequests/status",
      ],
      verbs: ["*"],
    },
  ];
  await create(`${rbac}/clusterroles`, { metadata: { name: "asker" }, rules });
  await create(`${rbac}/clusterrolebindings`, {
    metadata: { name: "asker" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "asker" },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "asker" }],
  });
});
afterAll(() => server.stop());

async function create(path: string, body: object): Promise<Answer> {
  const answer = await server.call({ method: "POST", path, body });
  expect(answer.statusCode, answer.text).toBe(201);
  return answer;
}

function asAsker(method: string, path: string, body: object): Promise<Answer> {
  return server.call({
    method,
    path,
    body,
    headers: { "impersonate-user": "asker", "impersonate-group": "some", "impersonate-extra-scopes": "a" },
  });
}

async function read(name: string): Promise<JsonObject> {
  return (await server.call({ path: `${requests}/${name}` })).json;
}

/** The object with another status, as clients of a subresource send it. */
function withStatus(object: JsonObject, status: JsonObject): JsonObject {
  return { ...object, status: { ...objectAt(object, "status"), ...status } };
}

async function approve(name: string): Promise<void> {
  const body = withStatus(await read(name), { conditions: [approved] });
  const answer = await server.call({ method: "PUT", path: `${requests}/${name}/approval`, body });
  expect(answer.statusCode, answer.text).toBe(200);
  await server.hub.whenIdle();
}

async function certificateOf(name: string): Promise<string> {
  return Buffer.from(textAt(await read(name), "status", "certificate") ?? "", "base64").toString("utf8");
}

describe("a request for a certificate", () => {
  it("names its creator, whatever its body claims", async () => {
    const body = requestObject("claims", made.requestPem, { username: "admin", groups: ["system:masters"], uid: "1" });
    const answer = await asAsker("POST", requests, body);
    expect(answer.statusCode, answer.text).toBe(201);
    expect(objectAt(answer.json, "spec")).toMatchObject({
      username: "asker",
      groups: ["some", "system:authenticated"],
      extra: { scopes: ["a"] },
    });
    expect(objectAt(answer.json, "spec")).not.toHaveProperty("uid");
    expect(objectAt(answer.json, "status")).toEqual({});
  });

  it("keeps its spec and its status when it is written", async () => {
    await create(requests, requestObject("fixed", made.requestPem));
    const old = await read("fixed");
    const changed = { ...old, spec: { ...objectAt(old, "spec"), username: "other", expirationSeconds: 700 } };
    const body = withStatus(changed, { conditions: [approved] });
    const answer = await asAsker("PUT", `${requests}/fixed`, body);
    expect(answer.statusCode, answer.text).toBe(200);
    expect([answer.json["spec"], answer.json["status"]]).toEqual([old["spec"], old["status"]]);
  });

  it("is found by the name of its signer", async () => {
    await create(requests, requestObject("other-signer", made.requestPem, { signerName: "example.org/other" }));
    const selector = encodeURIComponent("spec.signerName=example.org/other");
    const { json } = await server.call({ path: `${requests}?fieldSelector=${selector}` });
    expect(objectsAt(json, "items").map((item) => textAt(item, "metadata", "name"))).toEqual(["other-signer"]);
  });

  it("is listed, watched, changed in its metadata, decided, answered and deleted with others", async () => {
    const selector = "labelSelector=life%3Dyes";
    const { json: before } = await server.call({ path: `${requests}?${selector}` });
    const version = textAt(before, "metadata", "resourceVersion") ?? "";
    const watch = await server.open({ path: `${requests}?watch=1&${selector}&resourceVersion=${version}` });
    const events = eventsOf(watch);
    const patch = async (path: string, body: JsonObject): Promise<void> => {
      const headers = { "content-type": "application/merge-patch+json" };
      const answer = await server.call({ method: "PATCH", path: `${requests}/${path}`, body, headers });
      expect(answer.statusCode, answer.text).toBe(200);
    };
    const asked = requestObject("life", made.requestPem, { signerName: "example.org/life" });
    await create(requests, { ...asked, metadata: { name: "life", labels: { life: "yes" } } });
    await patch("life", { metadata: { annotations: { note: "a" } } });
    await patch("life/approval", { status: { conditions: [approved] } });
    await patch("life/status", { status: { certificate: Buffer.from(server.tls.cert).toString("base64") } });
    for (const path of ["life", "life/approval", "life/status"]) {
      const { json } = await server.call({ path: `${requests}/${path}` });
      expect(objectsAt(json, "status", "conditions")).toMatchObject([approved]);
    }
    const deleted = await server.call({ method: "DELETE", path: `${requests}?${selector}` });
    expect(deleted.statusCode).toBe(200);
    const seen = (await take(events, 5)).map(({ type, object }) => [
      type,
      objectsAt(object, "status", "conditions").length,
      textAt(object, "status", "certificate") !== undefined,
    ]);
    watch.destroy();
    expect(seen).toEqual([
      ["ADDED", 0, false],
      ["MODIFIED", 0, false],
      ["MODIFIED", 1, false],
      ["MODIFIED", 1, true],
      ["DELETED", 1, true],
    ]);
  });

  it("is refused when its signature is not that of its key", async () => {
    const lines = made.requestPem.trim().split("\n");
    const der = Buffer.from(lines.slice(1, -1).join(""), "base64");
    der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
    const answer = await asAsker("POST", requests, requestObject("forged", pem));
    expect(answer.statusCode).toBe(422);
    expect(answer.json["message"]).toContain("x509: ECDSA verification failure");
  });

  it("is refused when it is larger than any real one", async () => {
    const padded = `${made.requestPem}${"x".repeat(65_536)}`;
    const answer = await asAsker("POST", requests, requestObject("large", padded));
    expect(answer.statusCode).toBe(422);
    expect(answer.json["message"]).toContain("Too long: may not be more than 65536 bytes");
  });
});

describe("a client certificate", () => {
  it("is issued when its request is approved, and logs its subject in", async () => {
    await create(requests, requestObject("issued", made.requestPem, { expirationSeconds: 3600 }));
    await approve("issued");
    const certPem = await certificateOf("issued");
    const certificate = new X509Certificate(certPem);
    const seconds = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 1000;
    expect([seconds, certificate.ca, certificate.keyUsage]).toEqual([3900, false, ["1.3.6.1.5.5.7.3.2"]]);
    const client = adminClient(server.hub.url, { ...server.tls, cert: certPem, key: made.keyPem });
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const review = await client.call({ method: "POST", path, body });
    client.close();
    expect(objectAt(review.json, "status", "userInfo")).toMatchObject({
      username: "agent-1",
      groups: ["agents", "system:authenticated"],
    });
  });

  it("is valid for at most a year, and not before its request by more than five minutes", async () => {
    await create(requests, requestObject("long", made.requestPem, { expirationSeconds: 2_000_000_000 }));
    await approve("long");
    const { validFrom, validTo } = new X509Certificate(await certificateOf("long"));
    expect((Date.parse(validTo) - Date.parse(validFrom)) / 86_400_000).toBe(365);
    expect(Date.now() - Date.parse(validFrom)).toBeLessThan(400_000);
  });

  it("is not issued for usages of a server: the request fails", async () => {
    await create(requests, requestObject("server", made.requestPem, { usages: ["server auth"] }));
    await approve("server");
    const { status } = await read("server");
    expect(objectsAt(status, "conditions")).toMatchObject([
      approved,
      {
        type: "Failed",
        status: "True",
        reason: "SignerValidationFailure",
        message: "invalid usage for client certificate: server auth",
      },
    ]);
    expect(status).not.toHaveProperty("certificate");
  });

  it("is not issued for other signers, nor before approval, nor after a denial", async () => {
    await create(requests, requestObject("foreign", made.requestPem, { signerName: "example.org/foreign" }));
    await create(requests, requestObject("pending", made.requestPem));
    await create(requests, requestObject("denied", made.requestPem));
    await approve("foreign");
    const denied = withStatus(await read("denied"), { conditions: [{ ...approved, type: "Denied" }] });
    await server.call({ method: "PUT", path: `${requests}/denied/approval`, body: denied });
    await server.hub.whenIdle();
    for (const name of ["foreign", "pending", "denied"]) expect(await certificateOf(name)).toBe("");
  });
});

describe("A98 an account without rights to a signer", () => {
  const forbidden = (text: string): object => ({ statusCode: 403, message: expect.stringContaining(text) as string });
  const outcome = ({ statusCode, json }: Answer): object => ({ statusCode, message: json["message"] });

  it("does not approve requests, by update, patch or apply", async () => {
    await create(requests, requestObject("mine", made.requestPem));
    const path = `${requests}/mine/approval`;
    const status = { conditions: [approved] };
    const refused = forbidden('user not permitted to approve requests with signerName "kubernetes.io');
    expect(outcome(await asAsker("PUT", path, withStatus(await read("mine"), status)))).toMatchObject(refused);
    for (const contentType of ["application/merge-patch+json", "application/apply-patch+yaml"]) {
      const { apiVersion, kind, metadata } = requestObject("mine", "");
      const answer = await server.call({
        method: "PATCH",
        path: `${path}?fieldManager=asker`,
        body: { apiVersion, kind, metadata, status },
        headers: { "impersonate-user": "asker", "content-type": contentType },
      });
      expect(outcome(answer)).toMatchObject(refused);
    }
  });

  it("does not sign requests, and does not approve them by their status", async () => {
    await create(requests, requestObject("unsigned", made.requestPem));
    await approveOther("unsigned");
    const path = `${requests}/unsigned/status`;
    const certificate = Buffer.from(server.tls.cert).toString("base64");
    const signing = await asAsker("PUT", path, withStatus(await read("unsigned"), { certificate }));
    expect(outcome(signing)).toMatchObject(forbidden("user not permitted to sign requests with signerName"));
    const approving = await asAsker("PUT", path, withStatus(await read("unsigned"), { conditions: [approved] }));
    expect(approving.statusCode).toBe(422);
    expect(approving.json["message"]).toContain('updates may not add a condition of type "Approved"');
  });

  /** Something else than the approval, so that the object changed once. */
  async function approveOther(name: string): Promise<void> {
    const body = { metadata: { annotations: { note: "a" } } };
    const headers = { "content-type": "application/merge-patch+json" };
    await server.call({ method: "PATCH", path: `${requests}/${name}`, body, headers });
  }

  it("gets no certificate of system:masters, in whatever text its request has the group", async () => {
    const text = "system:masters";
    const names = [
      [{ O: [text] }],
      [{ O: ["a"] }, { O: [text] }],
      [{ O: ["a", text] }],
      [{ O: [{ bmpString: text }] }],
      [{ O: [{ universalString: text }] }],
      [{ O: [{ ia5String: text }] }],
    ];
    for (const [index, name] of names.entries()) {
      const { requestPem } = await makeCertificateRequest(new Name(name));
      const answer = await server.call({
        method: "POST",
        path: requests,
        body: requestObject(`masters-${index}`, requestPem),
      });
      expect(outcome(answer)).toMatchObject(
        forbidden("use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed"),
      );
    }
  });
});
