import { describe, expect, it } from "vitest";
import { OwnWrites } from "../../../src/hub/own-writes.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";

const ref: ObjectRef = { type: resourceTypes.secret, namespace: "fleet", name: "a" };

function secret(resourceVersion: string, uid = "u1"): KubeObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name: "a", namespace: "fleet", uid, resourceVersion } };
}

describe("OwnWrites", () => {
  it("does not let the answer to a write replace what the watch has shown meanwhile", () => {
    const own = new OwnWrites();
    expect(own.isNews(ref, secret("10"), undefined)).toBe(true);
    expect(own.isNews(ref, secret("11"), secret("10"))).toBe(true);
    expect(own.recordWritten(ref, secret("10"), secret("11"))).toBe(false);
    expect(own.isNews(ref, secret("12"), secret("11"))).toBe(true);
  });

  it("does not bring back what was deleted before the answer to its write came, and takes in what is made anew", () => {
    const own = new OwnWrites();
    own.isNews(ref, secret("10"), undefined);
    expect(own.isNews(ref, undefined, secret("10"))).toBe(true);
    expect(own.recordWritten(ref, secret("10"), undefined)).toBe(false);
    expect(own.recordWritten(ref, secret("20", "u2"), undefined)).toBe(true);
  });

  it("takes in writes of an object that is there again: of a restored server, or since it has its label again", () => {
    const own = new OwnWrites();
    own.isNews(ref, undefined, secret("10"));
    expect(own.isNews(ref, secret("8"), undefined)).toBe(true);
    expect(own.recordWritten(ref, secret("9"), secret("8"))).toBe(true);
  });

  it("holds back events that are older than an own write, until the watch has caught up", () => {
    const own = new OwnWrites();
    expect(own.recordWritten(ref, secret("12"), secret("9"))).toBe(true);
    expect(own.isNews(ref, secret("10"), secret("12"))).toBe(false);
    expect(own.isNews(ref, secret("12"), secret("12"))).toBe(true);
    expect(own.isNews(ref, secret("13"), secret("12"))).toBe(true);
  });

  it("keeps what was made anew when the watch reports the deletion of the former object", () => {
    const own = new OwnWrites();
    own.recordDeleted(ref, secret("10"));
    expect(own.recordWritten(ref, secret("20", "u2"), undefined)).toBe(true);
    expect(own.isNews(ref, undefined, secret("20", "u2"), secret("11"))).toBe(false);
    expect(own.recordWritten(ref, secret("21", "u2"), secret("20", "u2"))).toBe(true);
    expect(own.isNews(ref, secret("20", "u2"), secret("21", "u2"))).toBe(false);
    expect(own.isNews(ref, secret("21", "u2"), secret("21", "u2"))).toBe(true);
    expect(own.isNews(ref, undefined, secret("21", "u2"), secret("22", "u2"))).toBe(true);
  });

  it("does not bring back an object that was made anew and deleted before the watch reported the former one", () => {
    const own = new OwnWrites();
    own.recordDeleted(ref, secret("10"));
    own.recordWritten(ref, secret("20", "u2"), undefined);
    own.recordDeleted(ref, secret("20", "u2"));
    expect(own.isNews(ref, undefined, undefined, secret("11"))).toBe(false);
    expect(own.isNews(ref, secret("20", "u2"), undefined)).toBe(false);
    expect(own.isNews(ref, undefined, undefined, secret("21", "u2"))).toBe(true);
  });

  it("does not bring back an object by the answer to a write that came before its own deletion", () => {
    const own = new OwnWrites();
    own.recordDeleted(ref, secret("12"));
    expect(own.recordWritten(ref, secret("11"), undefined)).toBe(false);
    expect(own.recordWritten(ref, secret("12"), undefined)).toBe(false);
    expect(own.recordWritten(ref, secret("13"), undefined)).toBe(true);
  });

  it("takes the answer to a write once: the same version brings nothing", () => {
    const own = new OwnWrites();
    expect(own.recordWritten(ref, secret("12"), undefined)).toBe(true);
    expect(own.recordWritten(ref, secret("12"), secret("12"))).toBe(false);
    expect(own.recordWritten(ref, secret("12"), undefined)).toBe(false);
    expect(own.recordWritten(ref, secret("12", "u2"), undefined)).toBe(true);
  });

  it.each([
    { reason: "of the object itself, as it was before", object: secret("9"), isNews: false },
    { reason: "of the object itself, that it is being deleted", object: secret("11"), isNews: false },
    { reason: "of an earlier object of its name", object: secret("9", "u0"), isNews: false },
    { reason: "of one that was made with the version of the deletion", object: secret("10", "u2"), isNews: false },
    { reason: "of one that was made anew", object: secret("11", "u2"), isNews: true },
  ])("after an own deletion, takes an event $reason: $isNews", ({ object, isNews }) => {
    const own = new OwnWrites();
    own.recordDeleted(ref, secret("10"));
    expect(own.isNews(ref, object, undefined)).toBe(isNews);
  });

  it("takes the deletion of what it wrote, and what is made under the name after that", () => {
    const own = new OwnWrites();
    own.recordWritten(ref, secret("12"), undefined);
    expect(own.isNews(ref, undefined, secret("12"))).toBe(true);
    expect(own.isNews(ref, secret("11", "u2"), undefined)).toBe(true);
  });

  it("takes the deletion of an object that the API server did not name", () => {
    const own = new OwnWrites();
    own.recordWritten(ref, secret("12"), undefined);
    expect(own.isNews(ref, undefined, undefined)).toBe(true);
  });

  it("takes every event of an object whose version is no number", () => {
    const own = new OwnWrites();
    own.recordWritten(ref, secret("12"), undefined);
    expect(own.isNews(ref, secret("x13"), secret("12"))).toBe(false);
    own.recordWritten({ ...ref, name: "b" }, secret("x1"), undefined);
    expect(own.isNews({ ...ref, name: "b" }, secret("1"), undefined)).toBe(true);
  });

  it("remembers the last thousand deleted objects", () => {
    const own = new OwnWrites();
    for (let number = 0; number <= 1000; number++) own.isNews(ref, undefined, secret("1", `gone-${number}`));
    expect(own.recordWritten(ref, secret("2", "gone-1"), undefined)).toBe(false);
    expect(own.recordWritten(ref, secret("2", "gone-0"), undefined)).toBe(true);
  });

  describe("settle", () => {
    const listOf = (...objects: KubeObject[]) => ({ covers: () => true, get: () => objects[0] });

    it("takes the word of a list for what was written before it: an older copy of the server lost it", () => {
      const own = new OwnWrites();
      own.recordWritten(ref, secret("12"), secret("9"));
      expect(own.settle(own.count, listOf(secret("9")))).toEqual([ref]);
      expect(own.isNews(ref, secret("10"), secret("9"))).toBe(true);
    });

    it("keeps what was written after the list was asked for, and what it does not cover", () => {
      const own = new OwnWrites();
      const { count } = own;
      own.recordWritten(ref, secret("12"), secret("9"));
      expect(own.settle(count, listOf(secret("9")))).toEqual([]);
      expect(own.settle(own.count, { ...listOf(), covers: () => false })).toEqual([]);
      expect(own.isNews(ref, secret("10"), secret("12"))).toBe(false);
    });

    it("shows again what was deleted on the server that was lost, but not what finalizers hold", () => {
      const own = new OwnWrites();
      const held = secret("9");
      own.recordDeleted(ref, held);
      const ending = { ...held, metadata: { ...held.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
      expect(own.settle(own.count, listOf(ending))).toEqual([]);
      expect(own.settle(own.count, listOf(held))).toEqual([ref]);
    });

    it("keeps no deletion for another object that finalizers hold", () => {
      const own = new OwnWrites();
      own.recordDeleted(ref, secret("9"));
      const other = secret("12", "u2");
      const ending = { ...other, metadata: { ...other.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
      expect(own.settle(own.count, listOf(ending))).toEqual([ref]);
    });

    it("settles a write although finalizers hold its object, and a deletion of what the list does not have", () => {
      const own = new OwnWrites();
      const object = secret("9");
      own.recordWritten(ref, object, undefined);
      const ending = { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
      expect(own.settle(own.count, listOf(ending))).toEqual([ref]);
      own.recordDeleted(ref, secret("9"));
      expect(own.settle(own.count, listOf())).toEqual([ref]);
      expect(own.settle(own.count, listOf())).toEqual([]);
    });

    it("settles the deletion of an object that is as it was: the server lost the deletion", () => {
      const own = new OwnWrites();
      const { count } = own;
      own.recordDeleted(ref, secret("9"));
      expect(own.settle(count, listOf(secret("9")))).toEqual([]);
      expect(own.isNews(ref, secret("9"), undefined)).toBe(false);
      expect(own.settle(own.count, listOf(secret("9")))).toEqual([ref]);
      expect(own.isNews(ref, secret("9"), undefined)).toBe(true);
    });
  });
});
