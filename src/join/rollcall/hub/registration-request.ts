import { memoizeWeak } from "../../../core/memoize-weak.ts";
import { numberAt, textAt, textMapAt } from "../../../core/read-json.ts";
import { registrationName } from "../../../model/dialects/rollcall.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts } from "../../../model/member.ts";
import { isRegistrationProof, isSealingKey, isSigningKey, keyDigest, protocolVersion } from "../messages.ts";
import type { RefusalReason } from "./refusals.ts";

/** What an agent asks. Nothing of it is believed before its proof fits. */
export interface RegistrationRequest {
  readonly name: string;
  readonly tokenName: string;
  readonly clientID: string;
  readonly clusterName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly signingKey: string;
  readonly sealingKey: string;
  readonly keyDigest: string;
  readonly proof: string;
}

/** The request in a ClusterRegistration, or why it is none. Read once: it may have to wait, and its keys are costly to check. */
export const readRegistration = memoizeWeak(readOnce);

function readOnce(
  registration: KubeObject,
): { readonly request: RegistrationRequest } | { readonly refusal: RefusalReason } {
  const spec = registration["spec"];
  if (numberAt(spec, "protocolVersion") !== protocolVersion) return { refusal: "UnsupportedVersion" };
  const tokenName = textAt(spec, "tokenName");
  const clientID = textAt(spec, "clientID");
  const signingKey = textAt(spec, "signingKey");
  const sealingKey = textAt(spec, "sealingKey");
  const proof = textAt(spec, "proof");
  if (!tokenName || !clientID || !signingKey || !sealingKey || !proof) return { refusal: "Malformed" };
  if (!/^[!-~]{1,253}$/u.test(clientID) || !isSigningKey(signingKey) || !isSealingKey(sealingKey))
    return { refusal: "Malformed" };
  const digest = keyDigest(signingKey);
  const { name } = registration.metadata;
  if (name !== registrationName(tokenName, digest)) return { refusal: "WrongName" };
  const clusterName = textAt(spec, "clusterName");
  const labels = textMapAt(spec, "labels");
  return {
    request: {
      name,
      tokenName,
      clientID,
      ...(clusterName === undefined ? {} : { clusterName }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      signingKey,
      sealingKey,
      keyDigest: digest,
      proof,
    },
  };
}

/** Whether the request was made with this key of its token. Computed once for each key: a request may wait among many. */
export function isProvenBy(
  registration: KubeObject,
  proofKey: Uint8Array,
  { hubId }: Pick<HubFacts, "hubId">,
): boolean {
  return isProven(registration, Buffer.from(proofKey).toString("base64"), hubId);
}

const isProven = memoizeWeak((registration: KubeObject, proofKey: string, hubId: string): boolean => {
  const read = readRegistration(registration);
  if ("refusal" in read) return false;
  const claims = { hubId, workspace: registration.metadata.namespace ?? "", ...read.request };
  return isRegistrationProof(read.request.proof, Buffer.from(proofKey, "base64"), claims);
});
