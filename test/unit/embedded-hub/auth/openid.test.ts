import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { jsonWebKeyOf, tokenKeyOf } from "../../../../src/embedded-hub/auth/jwt.ts";
import { jsonWebKeySet, openIdConfiguration } from "../../../../src/embedded-hub/auth/openid.ts";
import { hubKey } from "./auth-builders.ts";

const rsa = tokenKeyOf(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey);

describe("openIdConfiguration", () => {
  it("names the issuer, where its keys are, and each algorithm once", () => {
    expect(openIdConfiguration("https://hub", "https://hub/openid/v1/jwks", [rsa, hubKey, rsa])).toEqual({
      issuer: "https://hub",
      jwks_uri: "https://hub/openid/v1/jwks",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256", "RS256"],
    });
  });
});

describe("jsonWebKeySet", () => {
  it("has all keys, also those that sign no more", () => {
    expect(jsonWebKeySet([rsa, hubKey])).toEqual({ keys: [jsonWebKeyOf(rsa), jsonWebKeyOf(hubKey)] });
  });
});
