import { AppError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { numberAt, objectAt, textAt } from "../../core/read-json.ts";
import type { Sealed } from "../../model/generated/sealed.ts";
import type { Signed } from "../../model/generated/signed.ts";
import { hpkeOpen, hpkeSeal } from "./hpke.ts";
import { message, readMessage, toBase64 } from "./messages.ts";

/** The hub's answer to an agent that it admitted, or whose credential it renewed. Only that agent can read it. */
export interface HubAnswer {
  readonly clusterName: string;
  /** The cluster's workspace, where it is another than that of the place: a move. */
  readonly workspace?: string;
  readonly credential: WorkingCredential;
  /** The recovery account's token; it comes with every answer, so that none is ever missing. */
  readonly recoveryToken: string;
  readonly hubInfo: Signed;
  readonly heartbeatPeriodSeconds: number;
}

export interface WorkingCredential {
  readonly number: number;
  readonly token: string;
  /** RFC 3339, by the hub's clock. */
  readonly issuedAt: string;
  readonly expiresAt: string;
}

/** What an answer belongs to. It opens only in the same place. */
export interface AnswerPlace {
  readonly hubId: string;
  readonly workspace: string;
  /** `registration/<name>`, `renewal/<cluster>/<nonce>`, `successor/<cluster>` or `readmit/<digest>/<epoch>`. */
  readonly place: string;
}

export function registrationPlace(registrationName: string): string {
  return `registration/${registrationName}`;
}

export function renewalPlace(clusterName: string, nonce: number): string {
  return `renewal/${clusterName}/${nonce}`;
}

/**
 * Where the hub answers the agent of a cluster that continues under another name; `clusterName` is the previous one.
 */
export function successorPlace(clusterName: string): string {
  return `successor/${clusterName}`;
}

export function readmissionPlace(signingKeyDigest: string, epoch: number): string {
  return `readmit/${signingKeyDigest}/${epoch}`;
}

/** Seals an answer to an agent's sealing key (raw, base64). `ephemeralKey` is 32 random bytes, used once. */
export function sealAnswer(
  answer: HubAnswer,
  place: AnswerPlace,
  { sealingKey, ephemeralKey }: { readonly sealingKey: string; readonly ephemeralKey: Uint8Array },
): Sealed {
  const { enc, ciphertext } = hpkeSeal({
    recipientPublicKey: Buffer.from(sealingKey, "base64"),
    ephemeralPrivateKey: ephemeralKey,
    info: placeBytes(place),
    plaintext: message("answer", [answer]),
  });
  return { enc: toBase64(enc), ciphertext: toBase64(ciphertext) };
}

/** Opens an answer with the agent's sealing key (raw, base64). E_SEALED when it is not for this agent or this place. */
export function openAnswer(sealed: Sealed, place: AnswerPlace, sealingPrivateKey: string): HubAnswer {
  const plaintext = hpkeOpen({
    enc: Buffer.from(sealed.enc, "base64"),
    ciphertext: Buffer.from(sealed.ciphertext, "base64"),
    recipientPrivateKey: Buffer.from(sealingPrivateKey, "base64"),
    info: placeBytes(place),
  });
  const [value] = readMessage("answer", plaintext) ?? [];
  const answer = readAnswer(value);
  if (answer === undefined) throw new AppError("E_SEALED", "open a sealed answer: it is of another version");
  return answer;
}

function placeBytes({ hubId, workspace, place }: AnswerPlace): Uint8Array {
  return message("place", [hubId, workspace, place]);
}

function readAnswer(value: unknown): HubAnswer | undefined {
  if (!isJsonObject(value)) return undefined;
  const clusterName = textAt(value, "clusterName");
  const workspace = textAt(value, "workspace");
  const recoveryToken = textAt(value, "recoveryToken");
  const heartbeatPeriodSeconds = numberAt(value, "heartbeatPeriodSeconds");
  const credential = readCredential(objectAt(value, "credential"));
  const payload = textAt(value, "hubInfo", "payload");
  const signature = textAt(value, "hubInfo", "signature");
  if (
    clusterName === undefined ||
    recoveryToken === undefined ||
    heartbeatPeriodSeconds === undefined ||
    credential === undefined ||
    payload === undefined ||
    signature === undefined
  )
    return undefined;
  return {
    clusterName,
    ...(workspace === undefined ? {} : { workspace }),
    recoveryToken,
    heartbeatPeriodSeconds,
    credential,
    hubInfo: { payload, signature },
  };
}

/** A working credential as answers and the agent's Secret contain it, or undefined. */
export function readCredential(value: unknown): WorkingCredential | undefined {
  const number = numberAt(value, "number");
  const token = textAt(value, "token");
  const issuedAt = textAt(value, "issuedAt");
  const expiresAt = textAt(value, "expiresAt");
  if (number === undefined || token === undefined || issuedAt === undefined || expiresAt === undefined)
    return undefined;
  return { number, token, issuedAt, expiresAt };
}
