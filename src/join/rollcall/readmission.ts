import { AppError } from "../../core/errors.ts";
import { textAt } from "../../core/read-json.ts";
import type { Signed } from "../../model/generated/signed.ts";
import { readmissionPlace } from "./answers.ts";
import { hpkeOpen } from "./hpke.ts";
import { isSignature, message, readMessage } from "./messages.ts";

/**
 * How an agent returns to a restored hub. It is public, but only that agent can open it, and it is valid only with the
 * signature of the trust key that the agent knows.
 */
export interface Readmission {
  readonly workspace: string;
  readonly clusterName: string;
  readonly recoveryToken: string;
}

/** What a readmission belongs to. */
export interface ReadmissionPlace {
  readonly hubId: string;
  /** Digest of the agent's signing key. */
  readonly digest: string;
  readonly epoch: number;
}

/**
 * Opens a readmission. `trustKey` is the hub's, SPKI, base64. E_HUB_INFO when the hub did not sign it for this agent;
 * E_SEALED when it cannot be opened.
 */
export function openReadmission(
  signed: Signed,
  agent: { readonly hubId: string; readonly digest: string; readonly sealingPrivateKey: string },
  trustKey: string,
): Readmission & { readonly epoch: number } {
  const payload = Buffer.from(signed.payload, "base64");
  const [hubId, digest, epoch, sealed] = readMessage("readmit", payload) ?? [];
  if (hubId !== agent.hubId || digest !== agent.digest || typeof epoch !== "number")
    throw new AppError("E_HUB_INFO", "read the readmission: it is not for this agent");
  if (!isSignature(trustKey, payload, signed.signature))
    throw new AppError("E_HUB_INFO", "read the readmission: the signature does not fit");
  const plaintext = hpkeOpen({
    enc: Buffer.from(textAt(sealed, "enc") ?? "", "base64"),
    ciphertext: Buffer.from(textAt(sealed, "ciphertext") ?? "", "base64"),
    recipientPrivateKey: Buffer.from(agent.sealingPrivateKey, "base64"),
    info: readmissionPlaceBytes({ hubId: agent.hubId, digest: agent.digest, epoch }),
  });
  const [value] = readMessage("readmission", plaintext) ?? [];
  const workspace = textAt(value, "workspace");
  const clusterName = textAt(value, "clusterName");
  const recoveryToken = textAt(value, "recoveryToken");
  if (!workspace || !clusterName || !recoveryToken)
    throw new AppError("E_SEALED", "open the readmission: it is of another version");
  return { workspace, clusterName, recoveryToken, epoch };
}

/** What the seal of a readmission covers besides its content. */
export function readmissionPlaceBytes({ hubId, digest, epoch }: ReadmissionPlace): Uint8Array {
  return message("place", [hubId, readmissionPlace(digest, epoch)]);
}
