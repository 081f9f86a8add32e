import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  decodeKubeObject,
  encodeKubeObject,
  encodeWatchFrame,
} from "../../../../src/embedded-hub/protobuf/kube-protobuf.ts";

const lease: JsonObject = {
  kind: "Lease",
  apiVersion: "coordination.k8s.io/v1",
  metadata: { name: "l", namespace: "n", resourceVersion: "5" },
  spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2024-01-01T00:00:00.000001Z" },
};

function encoded(object: JsonObject): Buffer {
  const bytes = encodeKubeObject(object);
  if (bytes === undefined) throw new Error("no type");
  return Buffer.from(bytes);
}

describe("objects as protobuf", () => {
  it("begin with the magic and name their kind", () => {
    const bytes = encoded(lease);
    expect(bytes.subarray(0, 4).toString("latin1")).toBe("k8s\0");
    expect(bytes.subarray(4, 40).toString("latin1")).toContain("coordination.k8s.io/v1");
  });

  it("are the same again after they were read", () => {
    expect(decodeKubeObject(encoded(lease))).toMatchObject({ kind: "object", object: lease });
  });

  it("are no object when the bytes are cut short within it, or are none", () => {
    const bytes = encoded(lease);
    const end = bytes.indexOf("me") + 2;
    for (let length = 0; length < end; length++) {
      const result = decodeKubeObject(bytes.subarray(0, length));
      expect(result.kind === "object" ? result.object : {}, `${length} bytes`).not.toMatchObject({
        spec: lease["spec"],
      });
    }
    expect(decodeKubeObject(Buffer.from("{}")).kind).not.toBe("object");
  });

  it("never make the reader throw, whatever the bytes", () => {
    const body = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.concat([Buffer.from("k8s\0"), bytes]));
    fc.assert(fc.property(body, (bytes) => void decodeKubeObject(bytes)));
    const position = fc.tuple(fc.nat(encoded(lease).length - 1), fc.nat(255));
    fc.assert(
      fc.property(position, ([at, value]) => {
        const bytes = encoded(lease);
        bytes[at] = value;
        void decodeKubeObject(bytes);
      }),
    );
  });

  it("are not written for kinds without a type", () => {
    expect(encodeKubeObject({ kind: "Foo", apiVersion: "a.b/v1" })).toBeUndefined();
  });

  it("are framed by length in a watch", () => {
    const frame = Buffer.from(encodeWatchFrame("ADDED", encoded(lease)));
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
    expect(frame.subarray(4).toString("latin1")).toContain("ADDED");
  });
});
