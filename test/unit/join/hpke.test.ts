import { describe, expect, it } from "vitest";
import { hpkeOpen, hpkeSeal, x25519PublicKey } from "../../../src/join/rollcall/hpke.ts";

const hex = (text: string) => Buffer.from(text, "hex");

/** RFC 9180, appendix A.1.1: base mode, sequence number 0. */
const vector = {
  info: hex("4f6465206f6e2061204772656369616e2055726e"),
  ephemeralPrivateKey: hex("52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736"),
  recipientPublicKey: hex("3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d"),
  recipientPrivateKey: hex("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8"),
  enc: "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431",
  plaintext: hex("4265617574792069732074727574682c20747275746820626561757479"),
  additionalData: hex("436f756e742d30"),
  ciphertext: "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a",
};

describe("hpkeSeal", () => {
  it("gives the bytes of the RFC's vector", () => {
    const { enc, ciphertext } = hpkeSeal(vector);
    expect(Buffer.from(enc).toString("hex")).toBe(vector.enc);
    expect(Buffer.from(ciphertext).toString("hex")).toBe(vector.ciphertext);
  });

  it("refuses keys that are none", () => {
    for (const recipientPublicKey of [Buffer.alloc(0), Buffer.alloc(31), Buffer.alloc(33)])
      expect(() => hpkeSeal({ ...vector, recipientPublicKey })).toThrow(expect.objectContaining({ code: "E_SEALED" }));
  });

  it("refuses keys of small order, by which everybody could open", () => {
    const smallOrder = ["00".repeat(32), `01${"00".repeat(31)}`, `ecff${"ff".repeat(29)}7f`];
    for (const key of smallOrder)
      expect(() => hpkeSeal({ ...vector, recipientPublicKey: hex(key) })).toThrow(
        expect.objectContaining({ code: "E_SEALED" }),
      );
  });
});

describe("hpkeOpen", () => {
  const sealed = { ...vector, enc: hex(vector.enc), ciphertext: hex(vector.ciphertext) };

  it("opens the RFC's vector", () => {
    expect(Buffer.from(hpkeOpen(sealed))).toEqual(vector.plaintext);
  });

  it("refuses every single changed byte of what was sealed", () => {
    for (const field of ["enc", "ciphertext", "info", "additionalData"] as const) {
      for (let at = 0; at < sealed[field].length; at++) {
        const changed = Buffer.from(sealed[field]);
        // Bit 255 of an X25519 key is not part of it.
        changed[at] = (changed[at] ?? 0) ^ (field === "enc" && at === 31 ? 0x01 : 0x80);
        expect(() => hpkeOpen({ ...sealed, [field]: changed })).toThrow(expect.objectContaining({ code: "E_SEALED" }));
      }
    }
  });

  it("refuses another recipient", () => {
    const recipientPrivateKey = Buffer.alloc(32, 9);
    expect(x25519PublicKey(recipientPrivateKey)).not.toEqual(vector.recipientPublicKey);
    expect(() => hpkeOpen({ ...sealed, recipientPrivateKey })).toThrow(expect.objectContaining({ code: "E_SEALED" }));
  });

  it("refuses what is too short to be sealed", () => {
    for (const length of [0, 1, 15])
      expect(() => hpkeOpen({ ...sealed, ciphertext: sealed.ciphertext.subarray(0, length) })).toThrow(
        expect.objectContaining({ code: "E_SEALED" }),
      );
  });
});
