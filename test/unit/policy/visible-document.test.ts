import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { visibleDocument } from "../../../src/policy/visible-document.ts";

const secret = (fields: object): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s" },
  ...fields,
});

describe("visibleDocument", () => {
  it.each([
    { reason: "data", fields: { data: { a: "c2VjcmV0" } }, shown: { data: { a: "" } } },
    { reason: "stringData", fields: { stringData: { a: "secret", b: 7 } }, shown: { stringData: { a: "", b: "" } } },
    { reason: "data that is no map", fields: { data: ["secret"] }, shown: {} },
    { reason: "data that is a text", fields: { data: "secret", stringData: null }, shown: {} },
    { reason: "nothing", fields: {}, shown: {} },
    { reason: "a type", fields: { type: "Opaque" }, shown: { type: "Opaque" } },
  ])("shows of a Secret with $reason the keys alone", ({ fields, shown }) => {
    const document = visibleDocument(secret(fields));
    expect(document).toEqual({ ...secret({}), ...shown });
    expect(JSON.stringify(document)).not.toMatch(/secret|c2Vj/u);
  });

  it("shows any other document as it is", () => {
    const map = { ...secret({ data: { a: "shown" } }), kind: "ConfigMap" };
    expect(visibleDocument(map)).toBe(map);
  });
});
