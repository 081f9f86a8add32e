import { describe, expect, it } from "vitest";
import {
  parseChecksums,
  readStatusSignature,
  sealedBytes,
  signStatus,
} from "../../../src/planning/status-signature.ts";

const sealed = { hub: "h", repository: "system.fleet", epoch: 3, parent: "p", digest: "d" };

describe("the signature of a status commit", () => {
  const signed = signStatus(sealed, (payload) => payload);

  it("names the Repository, and what it signs", () => {
    expect(signed).toEqual({
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "StatusSignature",
      metadata: { name: "fleet" },
      hub: "h",
      repository: "system.fleet",
      epoch: 3,
      parent: "p",
      signature: sealedBytes(sealed).toString("base64"),
    });
    const { parent: _, ...first } = signed;
    expect(signStatus({ ...sealed, parent: undefined }, () => new Uint8Array())).toEqual({ ...first, signature: "" });
  });

  it("is read as it was written; what lacks a part is none", () => {
    const { digest: _, ...claims } = sealed;
    expect(readStatusSignature(signed)).toEqual({ ...claims, signature: sealedBytes(sealed) });
    for (const field of ["kind", "hub", "repository", "epoch", "signature"])
      expect(readStatusSignature({ ...signed, [field]: undefined })).toBeUndefined();
  });

  it("covers each claim", () => {
    const others = [{ hub: "x" }, { repository: "x" }, { epoch: 4 }, { parent: undefined }, { digest: "x" }];
    const texts = others.map((other) => sealedBytes({ ...sealed, ...other }).toString());
    expect(new Set([sealedBytes(sealed).toString(), ...texts]).size).toBe(6);
  });
});

describe("parseChecksums", () => {
  it("passes over lines that are none", () => {
    const digest = "0".repeat(64);
    expect([...parseChecksums(`${digest}  a b.yaml\nnone\n`)]).toEqual([["a b.yaml", digest]]);
  });
});
