import { randomBytes } from "node:crypto";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import { mapConcurrently } from "../../src/core/map-concurrently.ts";
import type { AgentValues } from "../../src/join/rollcall/agent-values.ts";
import { makeIdentity } from "../../src/join/rollcall/downstream/agent-identity.ts";
import { makeRegistration } from "../../src/join/rollcall/downstream/registration.ts";
import { fixedConnection } from "../../src/kube/connection.ts";
import { createHttpsTransport } from "../../src/kube/https-transport.ts";
import { createKubeApi } from "../../src/kube/kube-api.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { registrationName } from "../../src/model/dialects/rollcall.ts";
import { keyDigest } from "../../src/join/rollcall/messages.ts";

/** The hub, as the holder of a token's values reaches it. */
export function holderOf({ hub, token }: AgentValues): KubeApi {
  const connection = fixedConnection({ server: hub.url, caPem: hub.caBundle, token: token.credential });
  const transport = createHttpsTransport(connection, { connections: 8 });
  return createKubeApi({ transport, clock: realClock, random: realRandom, types: [] });
}

/** A request to join by an unknown agent, proved by the values. */
export function request(values: AgentValues, name: string): KubeObject {
  const identity = makeIdentity(values, name, randomBytes(64));
  return makeRegistration(identity, { ...values, cluster: { name } }, "0.1.0");
}

/** The same without the token's proof. */
export function forgedRequest(values: AgentValues, name: string): KubeObject {
  const proofKey = randomBytes(32).toString("base64");
  return request({ ...values, token: { ...values.token, proofKey } }, name);
}

/** One that names a token which is not there. */
export function strayRequest(values: AgentValues, tokenName: string): KubeObject {
  const asked = request(values, tokenName);
  const spec = asked["spec"] as { readonly signingKey: string };
  const name = registrationName(tokenName, keyDigest(spec.signingKey));
  return { ...asked, metadata: { ...asked.metadata, name }, spec: { ...spec, tokenName } };
}

/** Makes them all, as fast as the API server takes them. */
export async function flood(api: KubeApi, requests: readonly KubeObject[]): Promise<void> {
  await mapConcurrently(requests, 8, (object) => api.create(object, { fieldManager: "rollcall-agent" }));
}
