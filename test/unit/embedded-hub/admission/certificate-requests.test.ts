import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { checkCertificateRequest } from "../../../../src/embedded-hub/admission/certificate-requests.ts";
import type { Authorizer, RequestAttributes } from "../../../../src/embedded-hub/auth/auth.ts";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { AdmissionRequest } from "../../../../src/embedded-hub/operations/admission.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { clientSigner, makeCertificateRequest } from "../../../support/certificate-request.ts";

const found = builtInResources().find(({ kind }) => kind === "CertificateSigningRequest");
if (found === undefined) throw new Error("CertificateSigningRequests are not served");
const definition = found;
const user = { username: "jane", groups: [] };

const request = (status: JsonObject = {}, signerName = "example.org/agents"): KubeObject => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: "a" },
  spec: { signerName },
  status,
});

/** The names of signers that the user has the right to, with the verb. */
type Rights = readonly string[];

interface Sent {
  readonly subresource?: string;
  readonly now: KubeObject;
}

/** The refusal of a change of the status by a user with these rights. Undefined: it is let through. */
async function change(rights: Rights, { subresource, now }: Sent): Promise<string | undefined> {
  const authorize = (attributes: RequestAttributes) => {
    const of = attributes.kind === "resource" ? attributes : undefined;
    const isOfSigners = of?.group === "certificates.k8s.io" && of.resource === "signers";
    return { isAllowed: isOfSigners && rights.includes(`${of.verb} ${of.name}`), reason: "" };
  };
  const place = subresource === undefined ? {} : { subresource };
  return decide({ operation: "UPDATE", object: now, oldObject: request(), ...place }, authorize);
}

const grantNothing = () => ({ isAllowed: false, reason: "" });

/** The refusal of a write. */
async function decide(
  write: Pick<AdmissionRequest, "operation" | "object" | "oldObject" | "subresource">,
  authorize: Authorizer["authorize"] = grantNothing,
): Promise<string | undefined> {
  const rest = { definition, name: "a", user, isDryRun: false, options: {}, warnings: [] };
  try {
    await checkCertificateRequest({ ...write, ...rest }, { authorize });
    return undefined;
  } catch (error) {
    if (!isApiFailure(error)) throw error;
    return error.status.message;
  }
}

const refused = (verb: string): string =>
  'certificatesigningrequests.certificates.k8s.io "a" is forbidden: ' +
  `user not permitted to ${verb} requests with signerName "example.org/agents"`;

describe("a change of a request for a certificate", () => {
  const approved = request({ conditions: [{ type: "Approved" }] });
  const renamed = request({ conditions: [{ type: "Approved" }] }, "example.org/mine");
  const signed = request({ certificate: "Y2VydA==" });
  const noted = request({ note: "seen" });

  it.each<readonly [string, Rights, Sent, string | undefined]>([
    ["an approval without a right", [], { subresource: "approval", now: approved }, refused("approve")],
    [
      "an approval with the right",
      ["approve example.org/agents"],
      { subresource: "approval", now: approved },
      undefined,
    ],
    [
      "one with the right to the domain",
      ["approve example.org/*"],
      { subresource: "approval", now: approved },
      undefined,
    ],
    [
      "one with the right to another signer",
      ["approve example.org/other", "approve other.org/*", "sign example.org/agents"],
      { subresource: "approval", now: approved },
      refused("approve"),
    ],
    [
      "one with the right to the signer that the body names",
      ["approve example.org/mine"],
      { subresource: "approval", now: renamed },
      refused("approve"),
    ],
    ["a certificate without a right", [], { subresource: "status", now: signed }, refused("sign")],
    ["a certificate with the right", ["sign example.org/agents"], { subresource: "status", now: signed }, undefined],
    ["one with the right to the domain", ["sign example.org/*"], { subresource: "status", now: signed }, undefined],
    [
      "conditions by the status",
      ["approve example.org/agents"],
      { subresource: "status", now: approved },
      refused("sign"),
    ],
    ["another field of the status", [], { subresource: "status", now: noted }, undefined],
    ["its metadata", [], { now: request() }, undefined],
  ])("is held to the rights to its signer: %s", async (_what, rights, sent, refusal) => {
    expect(await change(rights, sent)).toBe(refusal);
  });
});

describe("a new request for a certificate", () => {
  const create = async (subject: string, signerName: string, subresource?: string): Promise<string | undefined> => {
    const { requestPem } = await makeCertificateRequest(subject);
    const { spec, ...rest } = request({}, signerName);
    const object = { ...rest, spec: { ...(spec as JsonObject), request: Buffer.from(requestPem).toString("base64") } };
    return decide({ operation: "CREATE", object, ...(subresource === undefined ? {} : { subresource }) });
  };
  const masters = "CN=jane,O=team,O=system:masters";

  it("names no group of administrators where the hub signs it", async () => {
    expect(await create("CN=jane,O=team", clientSigner)).toBeUndefined();
    expect(await create(masters, clientSigner)).toContain(
      `use of ${clientSigner} signer with system:masters group is not allowed`,
    );
    expect(await create(masters, "example.org/agents")).toBeUndefined();
    expect(await create(masters, clientSigner, "status")).toBeUndefined();
  });

  it("is refused where it cannot be read", async () => {
    expect(await decide({ operation: "CREATE", object: request({}, clientSigner) })).toContain("failed to parse CSR");
  });
});
