import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { explainUnknownField } from "../../../src/manifests/explain-unknown-field.ts";

const withFields = (...names: readonly string[]): JsonObject => ({
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});

describe("explainUnknownField", () => {
  it.each([
    "status",
    "metadata.uid",
    "metadata.resourceVersion",
    "metadata.generation",
    "metadata.creationTimestamp",
    "metadata.deletionTimestamp",
    "metadata.deletionGracePeriodSeconds",
    "metadata.managedFields",
    "metadata.selfLink",
    "metadata.finalizers",
    "metadata.ownerReferences",
  ])("reports that the hub writes a field that kubectl gets: %s", (place) => {
    const path = place.split(".");
    expect(explainUnknownField(path, withFields("name", "uidd"), {})).toEqual({
      code: "E_UNKNOWN_FIELD",
      path,
      part: "key",
      message: `${place}: is written by the hub, not in files`,
      fix: "Delete the field.",
    });
  });

  it.each(['// the name "namespace"', '/* block */ "namespace"'])(
    "finds a comment of JavaScript in the key %j",
    (key) => {
      expect(explainUnknownField(["metadata", key], withFields("namespace"), {})).toEqual({
        code: "E_YAML",
        path: ["metadata", key],
        part: "key",
        message: "a comment with // or /* is neither YAML nor JSON",
        fix: "Delete the comment.",
      });
    },
  );

  it("names the remedy for a document that sops encrypted with the Secrets of its file", () => {
    expect(explainUnknownField(["sops"], withFields("spec", "metadata"), {})).toEqual({
      code: "E_UNKNOWN_FIELD",
      path: ["sops"],
      part: "key",
      message: "sops: the document was encrypted by SOPS, with the Secrets of its file; only a Secret may be",
      fix: "Decrypt the file (`sops decrypt --in-place FILE`), move its Secrets to a file of their own, and encrypt that.",
    });
    expect(explainUnknownField(["spec", "sops"], {}, {}).message).toBe('spec.sops: unknown field "sops"');
  });

  it.each([[["spec", "status"]], [["spec", "metadata", "uid"]], [["spec", "uid"]]])(
    "takes a field of that name for an unknown one elsewhere: %j",
    (path) => {
      expect(explainUnknownField(path, {}, {}).message).toBe(`${path.join(".")}: unknown field "${path.at(-1)}"`);
    },
  );

  it("names the field of the same map that was meant", () => {
    const root = { properties: { displayNam: {} } };
    expect(explainUnknownField(["spec", "displayNam"], withFields("displayName", "url"), root)).toEqual({
      code: "E_UNKNOWN_FIELD",
      path: ["spec", "displayNam"],
      part: "key",
      meant: ["spec", "displayName"],
      message: "spec.displayNam: unknown field, did you mean displayName?",
      fix: "Rename it to displayName.",
    });
  });

  it("reports the same of each field in which the same mistake is made", () => {
    const parent = withFields("effect");
    const said = [0, 1].map((index) => {
      const { message, meant } = explainUnknownField(["spec", "taints", `${index}`, "efect"], parent, {});
      return { message, meant };
    });
    expect(said).toEqual([
      {
        message: "spec.taints[0].efect: unknown field, did you mean effect?",
        meant: ["spec", "taints", "0", "effect"],
      },
      {
        message: "spec.taints[1].efect: unknown field, did you mean effect?",
        meant: ["spec", "taints", "1", "effect"],
      },
    ]);
  });

  it("names the place at which the document has that field, the nearest to its root", () => {
    const deep = { properties: { env: {}, deeper: { properties: { logLevel: {} } } } };
    const agent = { properties: { logLevel: {} } };
    const root = { properties: { metadata: { properties: 5 }, spec: { properties: { deep, agent, odd: "text" } } } };
    expect(explainUnknownField(["spec", "logLevel"], withFields("deep", "agent"), root)).toEqual({
      code: "E_UNKNOWN_FIELD",
      path: ["spec", "logLevel"],
      part: "key",
      meant: ["spec", "agent", "logLevel"],
      message: "spec.logLevel: unknown field, did you mean spec.agent.logLevel?",
      fix: "Move it to spec.agent.logLevel.",
    });
    expect(explainUnknownField(["env"], {}, root).message).toBe("env: unknown field, did you mean spec.deep.env?");
  });

  it("names the first of two places that are equally near", () => {
    const root = { properties: { first: withFields("shared"), second: withFields("shared") } };
    expect(explainUnknownField(["shared"], {}, root).fix).toBe("Move it to first.shared.");
  });

  const names = (count: number) => Array.from({ length: count }, (_, index) => `known${index}`);

  it.each([
    { reason: "one", known: names(1), fix: "Known here: known0." },
    { reason: "twenty-four", known: names(24), fix: `Known here: ${names(24).join(", ")}.` },
    { reason: "too many to be listed", known: names(25), fix: "Delete the field." },
    { reason: "none", known: [], fix: "Delete the field." },
  ])("lists the known fields where it knows of no better one: $reason", ({ known, fix }) => {
    const path = ["spec", "x y"];
    expect(explainUnknownField(path, withFields(...known), {})).toEqual({
      code: "E_UNKNOWN_FIELD",
      path,
      part: "key",
      message: 'spec["x y"]: unknown field "x y"',
      fix,
    });
  });

  it("lists nothing where a map has no fields by name", () => {
    expect(explainUnknownField(["other"], {}, {}).fix).toBe("Delete the field.");
  });
});
