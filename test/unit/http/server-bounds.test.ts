import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";

it("leaves no error in OpenSSL, which the next reading of a key would report as its own", async () => {
  const pem = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" });
  // Another file may have loaded it before.
  const path = `../../../src/http/server-bounds.ts?again`;
  await import(path);
  expect(createPrivateKey(pem).asymmetricKeyType).toBe("ec");
});
