import { describe, expect, it } from "vitest";
import {
  isTrueAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textMapAt,
  textsAt,
  valueAt,
} from "../../../src/core/read-json.ts";

const pod = {
  metadata: { name: "p", labels: { a: "b", bad: 1 } },
  spec: { hostNetwork: true, replicas: 3, containers: [{ name: "c" }, null, { name: "d" }], args: ["x", 2, "y"] },
};

describe("valueAt and its kin", () => {
  it("read what is there, of the right type", () => {
    expect(textAt(pod, "metadata", "name")).toBe("p");
    expect(textAt(pod, "spec", "containers", 2, "name")).toBe("d");
    expect(numberAt(pod, "spec", "replicas")).toBe(3);
    expect(isTrueAt(pod, "spec", "hostNetwork")).toBe(true);
    expect(objectAt(pod, "metadata", "labels")).toEqual({ a: "b", bad: 1 });
    expect(objectsAt(pod, "spec", "containers")).toEqual([{ name: "c" }, { name: "d" }]);
    expect(textsAt(pod, "spec", "args")).toEqual(["x", "y"]);
    expect(textMapAt(pod, "metadata", "labels")).toEqual({ a: "b" });
  });

  it("answer undefined, or nothing, for what is missing or of another type", () => {
    expect(textAt(pod, "spec", "replicas")).toBeUndefined();
    expect(numberAt(pod, "metadata", "name")).toBeUndefined();
    expect(isTrueAt(pod, "spec", "nope")).toBe(false);
    expect(objectAt(pod, "spec", "containers")).toBeUndefined();
    expect(objectsAt(undefined, "a")).toEqual([]);
    expect(textsAt(pod, "metadata")).toEqual([]);
    expect(textMapAt(pod, "nope")).toEqual({});
    expect(valueAt("text", "length")).toBeUndefined();
  });

  it("see no inherited keys", () => {
    expect(valueAt({}, "constructor")).toBeUndefined();
    expect(valueAt([], "length")).toBeUndefined();
  });
});
