import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { message, toBase64 } from "../../../../src/join/rollcall/messages.ts";
import { sealReadmission } from "../../../../src/join/rollcall/hub/seal-readmission.ts";
import { openReadmission } from "../../../../src/join/rollcall/readmission.ts";
import type { Readmission } from "../../../../src/join/rollcall/readmission.ts";
import { makeAgent } from "../hub-scene.ts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const trustKey = toBase64(publicKey.export({ format: "der", type: "spki" }));
const bySelf = (payload: Uint8Array) => sign(null, payload, privateKey);
const agent = makeAgent();
const hubId = "sha256:hub";
const readmission: Readmission = { workspace: "fleet", clusterName: "eu-1", recoveryToken: "opaque" };
const reader = { hubId, digest: agent.digest, sealingPrivateKey: agent.sealingPrivateKey };

const sealed = (changes: Partial<Readmission> = {}, place = { hubId, digest: agent.digest, epoch: 2 }) =>
  sealReadmission({ ...readmission, ...changes }, place, {
    sealingKey: agent.sealingKey,
    ephemeralKey: Buffer.alloc(32, 1),
    sign: bySelf,
  });
const refusal = (code: string) => expect.objectContaining({ code }) as unknown;

describe("openReadmission: how an agent returns to a restored hub", () => {
  it("has its place, its recovery credential and the epoch of the restore", () => {
    expect(openReadmission(sealed(), reader, trustKey)).toEqual({ ...readmission, epoch: 2 });
  });

  it("is refused where it is of another hub, of another agent, or has no epoch", () => {
    const payload = message("readmit", [hubId, agent.digest, "2", {}]);
    const tries = [
      sealed({}, { hubId: "sha256:other", digest: agent.digest, epoch: 2 }),
      sealed({}, { hubId, digest: "sha256:other", epoch: 2 }),
      { payload: toBase64(payload), signature: toBase64(bySelf(payload)) },
      { ...sealed(), signature: toBase64(Buffer.alloc(64)) },
    ];
    for (const signed of tries) expect(() => openReadmission(signed, reader, trustKey)).toThrow(refusal("E_HUB_INFO"));
  });

  it.each(["workspace", "clusterName", "recoveryToken"])("is refused without its %s", (key) => {
    expect(() => openReadmission(sealed({ [key]: "" }), reader, trustKey)).toThrow(refusal("E_SEALED"));
  });
});
