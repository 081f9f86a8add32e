import type { JoinProtocol, MintDue, MintedCredential, Subject } from "../join/join.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { toTime } from "../planning/conditions.ts";
import type { HubContext } from "./hub-context.ts";
import { writeMemory, writeStatus } from "./hub-context.ts";

/**
 * Makes a credential that a protocol says is due. Undefined: it has to wait for another party (a token Secret that the
 * server has not filled yet); the filled Secret wakes the subject again. The value is only in the answer, never logged.
 */
export async function mintCredential(
  context: HubContext,
  due: MintDue,
  signal: AbortSignal,
): Promise<MintedCredential | undefined> {
  const random = context.entropy.bytes(due.randomBytes ?? 0);
  const issuedAt = toTime(context.clock.nowMs());
  const { how, workspace } = due;
  switch (how.kind) {
    case "random":
      return { due, random, issuedAt };
    case "token-secret": {
      const secret = context.view.get({ type: resourceTypes.secret, namespace: workspace, name: how.secret });
      const token = secret ? secretValue(secret, "token") : undefined;
      return token === undefined ? undefined : { due, random, issuedAt, token };
    }
    case "token-request": {
      const bound = how.boundSecret ? await makeBoundSecret(context, how.boundSecret, signal) : undefined;
      const { token, expiresAt } = await context.hubApi.requestToken({
        namespace: workspace,
        serviceAccount: how.account,
        expirationSeconds: how.expirationSeconds,
        ...(bound ? { boundSecret: bound } : {}),
        signal,
      });
      return { due, random, issuedAt, token, expiresAt };
    }
  }
}

/** Mints what is due for a subject and brings it to its holder. */
export async function mintAndDeliver(
  context: HubContext,
  protocol: JoinProtocol,
  options: { readonly subject: Subject; readonly due: MintDue; readonly signal: AbortSignal },
): Promise<void> {
  const { subject, due, signal } = options;
  const minted = await mintCredential(context, due, signal);
  if (!minted) return;
  const delivery = await protocol.deliver(subject, minted, context.hubFacts(), context.entropy);
  if (delivery.memory && subject.kind === "member") await writeMemory(context, subject.member, delivery.memory, signal);
  for (const object of delivery.objects) {
    const written = await context.hubApi.apply(object, { fieldManager: fieldManagers.hub, signal });
    const type = resourceTypeOf(object);
    if (type) context.view.noteWritten(type, written);
  }
  for (const write of delivery.statusWrites) await writeStatus(context, write, signal);
  context.log.info("credential issued", { purpose: due.purpose, workspace: due.workspace, reason: due.reason });
}

async function makeBoundSecret(
  context: HubContext,
  secret: KubeObject,
  signal: AbortSignal,
): Promise<{ name: string; uid: string }> {
  const written = await context.hubApi.apply(secret, { fieldManager: fieldManagers.hub, signal });
  context.view.noteWritten(resourceTypes.secret, written);
  return { name: written.metadata.name, uid: written.metadata.uid ?? "" };
}

/** A value of a Secret as text, or undefined. */
export function secretValue(secret: KubeObject, key: string): string | undefined {
  const data = secret["data"];
  if (typeof data !== "object" || data === null) return undefined;
  const encoded = (data as Record<string, unknown>)[key];
  return typeof encoded === "string" && encoded !== "" ? Buffer.from(encoded, "base64").toString("utf8") : undefined;
}
