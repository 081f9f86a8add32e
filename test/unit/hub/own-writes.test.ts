import { describe, expect, it } from "vitest";
import { OwnWrites } from "../../../src/hub/own-writes.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

const key = "Secret/fleet/a";

function secret(resourceVersion: string, uid = "u1"): KubeObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name: "a", namespace: "fleet", uid, resourceVersion } };
}

describe("OwnWrites", () => {
  it("does not let the answer to a write replace what the watch has shown meanwhile", () => {
    const own = new OwnWrites();
    expect(own.isNews(key, secret("10"), undefined)).toBe(true);
    expect(own.isNews(key, secret("11"), secret("10"))).toBe(true);
    expect(own.noteWritten(key, secret("10"), secret("11"))).toBe(false);
    expect(own.isNews(key, secret("12"), secret("11"))).toBe(true);
  });

  it("does not bring back what was deleted before the answer to its write came, and takes in what is made anew", () => {
    const own = new OwnWrites();
    own.isNews(key, secret("10"), undefined);
    expect(own.isNews(key, undefined, secret("10"))).toBe(true);
    expect(own.noteWritten(key, secret("10"), undefined)).toBe(false);
    expect(own.noteWritten(key, secret("20", "u2"), undefined)).toBe(true);
  });

  it("holds back events that are older than an own write, until the watch has caught up", () => {
    const own = new OwnWrites();
    expect(own.noteWritten(key, secret("12"), secret("9"))).toBe(true);
    expect(own.isNews(key, secret("10"), secret("12"))).toBe(false);
    expect(own.isNews(key, secret("12"), secret("12"))).toBe(true);
    expect(own.isNews(key, secret("13"), secret("12"))).toBe(true);
  });

  it("keeps what was made anew when the watch tells of the deletion of the former object", () => {
    const own = new OwnWrites();
    own.noteDeleted(key, secret("10"));
    expect(own.noteWritten(key, secret("20", "u2"), undefined)).toBe(true);
    expect(own.isNews(key, undefined, secret("20", "u2"), secret("11"))).toBe(false);
    expect(own.noteWritten(key, secret("21", "u2"), secret("20", "u2"))).toBe(true);
    expect(own.isNews(key, secret("20", "u2"), secret("21", "u2"))).toBe(false);
    expect(own.isNews(key, secret("21", "u2"), secret("21", "u2"))).toBe(true);
    expect(own.isNews(key, undefined, secret("21", "u2"), secret("22", "u2"))).toBe(true);
  });

  it("does not bring back an object that was made anew and deleted before the watch told of the former one", () => {
    const own = new OwnWrites();
    own.noteDeleted(key, secret("10"));
    own.noteWritten(key, secret("20", "u2"), undefined);
    own.noteDeleted(key, secret("20", "u2"));
    expect(own.isNews(key, undefined, undefined, secret("11"))).toBe(false);
    expect(own.isNews(key, secret("20", "u2"), undefined)).toBe(false);
    expect(own.isNews(key, undefined, undefined, secret("21", "u2"))).toBe(true);
  });
});
