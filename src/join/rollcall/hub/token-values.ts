import { textAt } from "../../../core/read-json.ts";
import { parseJson } from "../../../core/parse-json.ts";
import { rollcallAnnotations } from "../../../model/dialects/rollcall.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, TokenSubject } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { tokenEndMs } from "../../../planning/token-life.ts";
import type { AgentValues } from "../agent-values.ts";
import { keyDigest } from "../messages.ts";
import { childOf } from "./member-facts.ts";

/** The Secret with the token's values. It is named like the token, as users of Rancher Fleet expect. */
export function valuesSecretOf(subject: TokenSubject): KubeObject | undefined {
  return childOf(subject, resourceTypes.secret, subject.name);
}

/** The 32 bytes by which agents prove that they were given the values; undefined before they are issued. */
export function proofKeyOf(secret: KubeObject | undefined): Uint8Array | undefined {
  const bytes = Buffer.from(textAt(secret, "data", "proofKey") ?? "", "base64");
  return bytes.length === 32 ? bytes : undefined;
}

/** The hub's present trust key, as values name it: not at all while it is the first one. */
export function announcedTrustKey({ trust }: HubFacts): Pick<AgentValues["hub"], "trustKey" | "trustKeyNumber"> {
  const { publicKey, succession } = trust;
  return succession === undefined ? {} : { trustKey: keyDigest(publicKey), trustKeyNumber: succession.number };
}

/** True when the values name another trust key than the present one. */
export function isOfOtherTrustKey(secret: KubeObject | undefined, hub: HubFacts): boolean {
  return textAt(valuesIn(secret), "hub", "trustKey") !== announcedTrustKey(hub).trustKey;
}

/** The credential in the values; undefined when they were edited manually. */
export function valuesCredentialOf(secret: KubeObject | undefined): string | undefined {
  return textAt(valuesIn(secret), "token", "credential");
}

function valuesIn(secret: KubeObject | undefined): unknown {
  return parseJson(Buffer.from(textAt(secret, "data", "values") ?? "", "base64").toString("utf8"));
}

/** The hub does not give tokens that live as long as this one: a token Secret is used, and deleted at the end. */
export function needsTokenSecret(subject: TokenSubject, hub: HubFacts): boolean {
  if (tokenEndMs(subject, hub) === undefined) return true;
  return valuesSecretOf(subject)?.metadata.annotations?.[rollcallAnnotations.lifeIsCapped] === "true";
}
