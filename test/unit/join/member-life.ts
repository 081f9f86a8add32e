import { objectAt, textAt } from "../../../src/core/read-json.ts";
import { openAnswer, registrationPlace, renewalPlace } from "../../../src/join/rollcall/answers.ts";
import type { HubAnswer } from "../../../src/join/rollcall/answers.ts";
import { renewalMessage, signMessage } from "../../../src/join/rollcall/messages.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { hubFacts, workspace } from "./hub-scene.ts";
import type { TestAgent } from "./hub-scene.ts";
import type { TinyHub } from "./tiny-hub.ts";

/** One member, its agent, and the registration by which it joins; tests change them. */
export interface Life {
  hub: TinyHub;
  agent: TestAgent;
  registration: KubeObject;
}

const { hubId } = hubFacts();

/** Registers the agent, lets the hub come to rest, and opens the answer. */
export async function join(life: Life): Promise<HubAnswer> {
  const result = life.hub.register(life.registration);
  if (result !== "granted eu-1") throw new Error(`not let in: ${result}`);
  await life.hub.settle();
  return answerOf(life);
}

export function answerOf({ hub, agent, registration }: Life): HubAnswer {
  const { name } = registration.metadata;
  const sealed = objectAt(hub.get("ClusterRegistration", name), "status", "sealedAnswer");
  return open(sealed, registrationPlace(name), agent);
}

/** The agent writes into its report. */
export function say({ hub }: Life, spec: Record<string, unknown>): void {
  const report = hub.get("ClusterReport", "eu-1");
  if (report === undefined) throw new Error("no report");
  hub.put({ ...report, spec: { ...objectAt(report, "spec"), ...spec } });
}

/** A signed request; `changes` are made after it was signed. */
export function renewal(by: TestAgent, nonce: number, credential: number, changes: Record<string, unknown> = {}) {
  const claims = { hubId, workspace, cluster: "eu-1", nonce, credential };
  const signature = signMessage(by.signingPrivateKey, renewalMessage(claims));
  return { renewal: { nonce, credential, signature, ...changes } };
}

export function renewedAnswer({ hub, agent }: Life, nonce: number): HubAnswer {
  const sealed = objectAt(hub.get("ClusterReport", "eu-1"), "status", "renewal", "sealed");
  return open(sealed, renewalPlace("eu-1", nonce), agent);
}

function open(sealed: unknown, place: string, agent: TestAgent): HubAnswer {
  return openAnswer(
    { enc: textAt(sealed, "enc") ?? "", ciphertext: textAt(sealed, "ciphertext") ?? "" },
    { hubId, workspace, place },
    agent.sealingPrivateKey,
  );
}
