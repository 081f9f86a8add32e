import { textAt } from "../../../core/read-json.ts";
import { registrationName } from "../../../model/dialects/rollcall.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { AgentValues } from "../agent-values.ts";
import { openAnswer, registrationPlace } from "../answers.ts";
import type { HubAnswer } from "../answers.ts";
import { keyDigest, protocolVersion, registrationProof } from "../messages.ts";
import type { AgentIdentity } from "./agent-identity.ts";

/** What this agent asks to be, proved by the values that it was given. */
export function makeRegistration(identity: AgentIdentity, values: AgentValues, agentVersion: string): KubeObject {
  const { hubId, workspace, clientID, keys } = identity;
  const claims = {
    tokenName: values.token.name,
    signingKey: keys.signing.public,
    sealingKey: keys.sealing.public,
    clientID,
    ...(values.cluster?.name === undefined ? {} : { clusterName: values.cluster.name }),
    ...(values.cluster?.labels === undefined ? {} : { labels: values.cluster.labels }),
  };
  const proofKey = Buffer.from(values.token.proofKey, "base64");
  const proof = registrationProof(proofKey, { hubId, workspace, ...claims });
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistration",
    metadata: { name: registrationNameOf(identity, values), namespace: workspace },
    spec: { protocolVersion, ...claims, proof, agentVersion },
  };
}

export function registrationNameOf({ keys }: AgentIdentity, values: AgentValues): string {
  return registrationName(values.token.name, keyDigest(keys.signing.public));
}

export type RegistrationResult =
  | { readonly kind: "waiting"; readonly reason?: string; readonly message?: string }
  | { readonly kind: "refused"; readonly reason: string; readonly message: string }
  | { readonly kind: "granted"; readonly answer: HubAnswer };

/** The hub's answer to the registration. E_SEALED when the answer is not for this agent. */
export function readResult(identity: AgentIdentity, registration: KubeObject): RegistrationResult {
  const status = registration["status"];
  const reason = textAt(status, "reason") ?? "";
  const message = textAt(status, "message") ?? "";
  const enc = textAt(status, "sealedAnswer", "enc");
  const ciphertext = textAt(status, "sealedAnswer", "ciphertext");
  if (textAt(status, "decision") === "Refused") return { kind: "refused", reason, message };
  if (enc === undefined || ciphertext === undefined)
    return reason === "" ? { kind: "waiting" } : { kind: "waiting", reason, message };
  const { hubId, workspace, keys } = identity;
  const place = { hubId, workspace, place: registrationPlace(registration.metadata.name) };
  return { kind: "granted", answer: openAnswer({ enc, ciphertext }, place, keys.sealing.private) };
}
