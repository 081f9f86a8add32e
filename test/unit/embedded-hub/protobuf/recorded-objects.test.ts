import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { decodeMessage } from "../../../../src/embedded-hub/protobuf/decode-message.ts";
import { encodeMessage } from "../../../../src/embedded-hub/protobuf/encode-message.ts";
import { decodeBuiltIn } from "../../../../src/embedded-hub/types/decode-built-in.ts";
import { messageType } from "../../../../src/embedded-hub/types/type-registry.ts";

/** Random objects as JSON, and as the Go types of Kubernetes 1.34 write them. */
interface Recorded {
  readonly message: string;
  readonly json: JsonObject;
  readonly protobuf: string;
}

const file = new URL("golden/objects.json", import.meta.url);
const recorded = JSON.parse(readFileSync(file, "utf8")) as readonly Recorded[];

describe("objects that were recorded", () => {
  it.each(recorded.map((one) => [one.message, one] as const))("%s", (_name, { message, json, protobuf }) => {
    const type = messageType(message);
    const { object, error } = decodeBuiltIn(type, json);
    expect(error).toBeUndefined();
    expect(Buffer.from(encodeMessage(type, object)).toString("base64")).toBe(protobuf);
    const read = decodeMessage(type, Buffer.from(protobuf, "base64"));
    if (read === undefined) throw new Error("not read");
    // What is read is written the same again; an empty list and none are one to protobuf.
    const again = decodeBuiltIn(type, read).object;
    expect(Buffer.from(encodeMessage(type, again)).toString("base64")).toBe(protobuf);
    expect(again["metadata"]).toEqual(object["metadata"]);
  });
});
