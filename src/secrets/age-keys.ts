import { Decrypter, Encrypter, armor } from "age-encryption";
import { AppError } from "../core/errors.ts";
import type { AgeKey } from "./sops-metadata.ts";
import { malformed } from "./sops-tree.ts";

const dataKeyBytes = 32;
const maximumKeys = 50;

/** The identities in texts as age-keygen writes them: one a line, lines with # are comments. @throws E_SOPS_KEY */
export function readAgeIdentities(texts: readonly string[]): string[] {
  const identities = texts
    .flatMap((text) => text.split(/\r?\n/u))
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  for (const identity of identities) {
    try {
      new Decrypter().addIdentity(identity);
    } catch {
      // The library's message could hold a part of the key.
      throw new AppError("E_SOPS_KEY", "read the age keys: a line is no age identity (AGE-SECRET-KEY-1...)");
    }
  }
  return identities;
}

/** The data key of a document, by the first of its age keys that one of `identities` opens; undefined when none does. */
export async function openDataKey(
  keys: readonly AgeKey[],
  identities: readonly string[],
): Promise<Uint8Array | undefined> {
  if (identities.length === 0) return undefined;
  if (keys.length > maximumKeys) throw malformed(`sops: has more than ${maximumKeys} age keys`);
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  for (const { encrypted } of keys) {
    let dataKey: Uint8Array;
    try {
      dataKey = await decrypter.decrypt(armor.decode(encrypted));
    } catch {
      // Not for us, or damaged: the library distinguishes both only by its text. Another key may still open it.
      continue;
    }
    if (dataKey.length === dataKeyBytes) return dataKey;
    throw malformed("sops: the data key has not 32 bytes");
  }
  return undefined;
}

/** True for `age1...` that a file can be encrypted for. */
export function isAgeRecipient(text: string): boolean {
  try {
    new Encrypter().addRecipient(text);
    return true;
  } catch {
    // The library has no other way to check one.
    return false;
  }
}

/** A data key, encrypted for each recipient (`age1...`). @throws E_SOPS_KEY when one is none */
export async function sealDataKey(dataKey: Uint8Array, recipients: readonly string[]): Promise<AgeKey[]> {
  if (recipients.length === 0) throw new AppError("E_SOPS_KEY", "encrypt a file: there is no age recipient");
  return Promise.all(
    recipients.map(async (recipient) => {
      if (!isAgeRecipient(recipient)) {
        const shown = JSON.stringify(recipient.slice(0, 80));
        throw new AppError("E_SOPS_KEY", `encrypt a file: ${shown} is no age recipient`);
      }
      const encrypter = new Encrypter();
      encrypter.addRecipient(recipient);
      return { recipient, encrypted: armor.encode(await encrypter.encrypt(dataKey)) };
    }),
  );
}
