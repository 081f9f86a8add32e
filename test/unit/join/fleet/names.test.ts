import { describe, expect, it } from "vitest";
import {
  clusterNamespaceName,
  createdClusterName,
  credentialSecretName,
  importTokenName,
  isReservedFleetLabel,
  keyHash,
  limitName,
  requestAccountName,
  safeConcatName,
  tokenAccountName,
} from "../../../../src/model/dialects/fleet.ts";

describe("names of Rancher Fleet", () => {
  it("gives what Fleet's own programs give", () => {
    expect(clusterNamespaceName("clusters", "my-cluster")).toBe("cluster-clusters-my-cluster-bfd14deb5a00");
    expect(createdClusterName("really-random")).toBe("cluster-08f9d8eb5b7d");
    expect(credentialSecretName("really-random", "mzc69bk9dgcbdjsndhtts628rn6j24nx5x6jt524sn9bh2k6mvpkvw")).toBe(
      "c-afb870486311e43c5aaf1fca540d9fe760bbdaae3ce214a4a80a69df21632",
    );
  });

  it.each([
    { parts: ["a", "b"], name: "a-b", reason: "joined by hyphens" },
    { parts: ["x".repeat(63)], name: "x".repeat(63), reason: "63 characters are not cut" },
  ])("joins: $reason", ({ parts, name }) => {
    expect(safeConcatName(...parts)).toBe(name);
  });

  it("cuts what is longer than a DNS label to 63 characters, and never before a second hyphen", () => {
    const long = safeConcatName("y".repeat(64));
    expect(long).toMatch(/^y{57}-[0-9a-f]{5}$/u);
    const hyphen = safeConcatName(`${"y".repeat(56)}-${"z".repeat(20)}`);
    expect(hyphen).toMatch(/^y{56}-[0-9a-f]{6}$/u);
    expect(safeConcatName("y".repeat(65))).not.toBe(long);
  });

  it("reads the first hundred bytes of what it hashes", () => {
    expect(keyHash("a".repeat(100))).toBe(keyHash("a".repeat(101)));
    expect(keyHash("a".repeat(99))).not.toBe(keyHash("a".repeat(100)));
    expect(keyHash("really-random")).toBe("08f9d8eb5b7d");
  });

  it("limits a name as Fleet limits names of releases", () => {
    expect(limitName("short", 53)).toBe("short");
    expect(limitName("a".repeat(60), 53)).toMatch(/^a{47}-[0-9a-f]{5}$/u);
    expect(limitName(`${"a".repeat(46)}-${"b".repeat(20)}`, 53)).toMatch(/^a{46}-[0-9a-f]{5}$/u);
    expect(limitName("abcdefgh", 6)).toBe("abcdef");
  });

  it("keeps labels of Rancher from agents, but for the one that names the Pod that asked", () => {
    expect(isReservedFleetLabel("management.cattle.io/cluster-display-name")).toBe(true);
    expect(isReservedFleetLabel("fleet.cattle.io/non-managed-agent")).toBe(true);
    expect(isReservedFleetLabel("fleet.cattle.io/created-by-agent-pod")).toBe(false);
    expect(isReservedFleetLabel("env")).toBe(false);
  });

  it("names accounts by the object that they are for", () => {
    expect(tokenAccountName("door", "uid")).toBe("door-uid");
    expect(requestAccountName("request-abcde", "uid")).toBe("request-abcde-uid");
    expect(importTokenName("eu-1")).toBe("import-token-eu-1");
  });
});
