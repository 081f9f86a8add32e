import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { readPrivateText, writePrivateText } from "./private-files.ts";

/** The key that signs tokens of service accounts; made when the file does not exist. */
export async function loadTokenKey(path: string): Promise<KeyObject> {
  const stored = await readPrivateText(path);
  if (stored !== undefined) return createPrivateKey(stored);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writePrivateText(path, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  return privateKey;
}
