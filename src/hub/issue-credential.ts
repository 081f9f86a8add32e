import type { JoinProtocol, CredentialDue, NewCredential, Subject } from "../join/join.ts";
import { isAdopting } from "../model/is-adopting.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { toTime } from "../planning/conditions.ts";
import type { HubPorts } from "./hub-ports.ts";
import type { HubWriter } from "./hub-writer.ts";
import { refuseOtherChild } from "./refuse-other-child.ts";

type IssuePorts = Pick<HubPorts, "hubApi" | "view" | "hubFacts" | "clock" | "entropy" | "log"> & {
  readonly write: HubWriter;
};

/**
 * Issues a credential that a protocol wants. Undefined: it waits for another party (a token Secret that the server has not
 * filled yet); the filled Secret enqueues the subject again. The value is only in the answer, never logged.
 */
async function issueCredential(
  { hubApi, view, clock, entropy, write }: Omit<IssuePorts, "hubFacts" | "log">,
  due: CredentialDue,
  signal: AbortSignal,
): Promise<NewCredential | undefined> {
  const random = entropy.bytes(due.randomBytes ?? 0);
  const issuedAt = toTime(clock.nowMs());
  const { how, workspace } = due;
  switch (how.kind) {
    case "random":
      return { due, random, issuedAt };
    case "token-secret": {
      const secret = view.get({ type: resourceTypes.secret, namespace: workspace, name: how.secret });
      const token = secret ? secretValue(secret, "token") : undefined;
      return token === undefined ? undefined : { due, random, issuedAt, token };
    }
    case "token-request": {
      const bound = how.boundSecret && (await write.apply(how.boundSecret)).metadata;
      const { token, expiresAt } = await hubApi.requestToken({
        namespace: workspace,
        serviceAccount: how.account,
        expirationSeconds: how.expirationSeconds,
        ...(bound ? { boundSecret: { name: bound.name, uid: bound.uid ?? "" } } : {}),
        signal,
      });
      return { due, random, issuedAt, token, expiresAt };
    }
  }
}

/** Issues a credential for a subject and delivers it to its holder. False: it waits for another party. */
export async function issueAndDeliver(
  ports: IssuePorts,
  protocol: JoinProtocol,
  options: { readonly subject: Subject; readonly due: CredentialDue; readonly signal: AbortSignal },
): Promise<boolean> {
  const { subject, due, signal } = options;
  const { write } = ports;
  const issued = await issueCredential(ports, due, signal);
  if (!issued) return false;
  const delivery = await protocol.deliver(subject, issued, ports.hubFacts(), ports.entropy);
  if (delivery.state && subject.kind === "member") await write.writeState(subject.member, delivery.state);
  for (const object of delivery.objects) {
    refuseOther(ports, subject, object);
    await deleteOtherType(ports, object);
    await write.apply(object);
  }
  for (const status of delivery.statusWrites) await write.applyStatus(status);
  ports.log.info("credential issued", { object: nameOf(subject), purpose: due.purpose, reason: due.reason });
  return true;
}

function ownerOf(subject: Subject): KubeObject {
  return subject.kind === "member" ? subject.member.cluster : subject.subject.token;
}

function nameOf(subject: Subject): string {
  const type = subject.kind === "member" ? resourceTypes.cluster : resourceTypes.clusterRegistrationToken;
  return describeRef(refOf(type, ownerOf(subject)));
}

/**
 * The name of a Secret may come from what an agent asks with, or from a token's file: it must not take over one of another owner.
 * @throws E_KUBE_EXISTS as for other children
 */
function refuseOther({ view }: Pick<IssuePorts, "view">, subject: Subject, object: KubeObject): void {
  const type = resourceTypeOf(object);
  if (type === undefined) return;
  const ref = refOf(type, object);
  const owner = ownerOf(subject);
  const adoption = isAdopting(owner) ? { labelsToAdopt: {} } : {};
  const change = { kind: "create" as const, ref, object, manager: fieldManagers.hub, fields: [], ...adoption };
  refuseOtherChild(change, view.get(ref));
}

/**
 * The type of a Secret is immutable: a Secret of another type, of the protocol that a token had before, is deleted so that
 * its successor can have the name.
 */
async function deleteOtherType({ view, write }: Pick<IssuePorts, "view" | "write">, object: KubeObject): Promise<void> {
  const type = resourceTypeOf(object);
  if (type !== resourceTypes.secret) return;
  const ref = refOf(type, object);
  const live = view.get(ref);
  if (live === undefined || live["type"] === object["type"]) return;
  const { uid = "", resourceVersion = "" } = live.metadata;
  await write.delete(ref, { uid, resourceVersion });
}

/** A value of a Secret as text, or undefined. */
export function secretValue(secret: KubeObject, key: string): string | undefined {
  const data = secret["data"];
  if (typeof data !== "object" || data === null) return undefined;
  const encoded = (data as Record<string, unknown>)[key];
  return typeof encoded === "string" && encoded !== "" ? Buffer.from(encoded, "base64").toString("utf8") : undefined;
}

/** A text as a value of a Secret's data. */
export function encodeSecretValue(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
