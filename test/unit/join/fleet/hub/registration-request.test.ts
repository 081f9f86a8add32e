import { describe, expect, it } from "vitest";
import { readRequest, tokenNameOf } from "../../../../../src/join/fleet/hub/registration-request.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { startMs, workspace } from "../../hub-scene.ts";
import { requestOf } from "../fleet-scene.ts";

const asked = requestOf({ token: "edge" });
const withMetadata = (changes: Partial<KubeObject["metadata"]>): KubeObject => ({
  ...asked,
  metadata: { ...asked.metadata, ...changes },
});
const withSpec = (changes: object): KubeObject => ({ ...asked, spec: { ...(asked["spec"] as object), ...changes } });

describe("readRequest: a registration of Fleet's agent", () => {
  it("has the identity, the token, the time and the labels without that which names the token", () => {
    const labels = { site: "b", "rollcall.dev/token": "edge" };
    expect(readRequest(requestOf({ clientID: "uid-7", token: "edge", labels }))).toEqual({
      name: "request-a",
      uid: "uid-of-request-a",
      workspace,
      clientID: "uid-7",
      clientRandom: (asked["spec"] as { clientRandom: string }).clientRandom,
      labels: { site: "b" },
      tokenName: "edge",
      createdMs: startMs,
    });
  });

  it.each<[string, KubeObject]>([
    ["the longest name that the API server gives", withMetadata({ name: `request-${"a".repeat(16)}` })],
    ["the longest clientID", withSpec({ clientID: "a".repeat(253) })],
    ["any printable characters in a clientID", withSpec({ clientID: "!~" })],
    ["the shortest random text", withSpec({ clientRandom: "r".repeat(16) })],
    ["the longest random text", withSpec({ clientRandom: "r".repeat(1024) })],
  ])("is read with %s", (_what, registration) => {
    expect(readRequest(registration)).toBeDefined();
  });

  it.each<[string, KubeObject]>([
    ["a longer name", withMetadata({ name: `request-${"a".repeat(17)}` })],
    ["a name that only contains such a one", withMetadata({ name: "xrequest-a" })],
    ["a name with more behind", withMetadata({ name: "request-a.b" })],
    ["a name without its random part", withMetadata({ name: "request-" })],
    ["no uid", withMetadata({ uid: undefined })],
    ["no clientID", withSpec({ clientID: undefined })],
    ["an empty clientID", withSpec({ clientID: "" })],
    ["a clientID that is no text", withSpec({ clientID: 7 })],
    ["a longer clientID", withSpec({ clientID: "a".repeat(254) })],
    ["a line break in the clientID", withSpec({ clientID: "a\nb" })],
    ["a letter outside of ASCII in the clientID", withSpec({ clientID: "ä" })],
    ["no random text, by which its answer could be guessed", withSpec({ clientRandom: undefined })],
    ["a random text that could be guessed", withSpec({ clientRandom: "r".repeat(15) })],
    ["a longer random text", withSpec({ clientRandom: "r".repeat(1025) })],
  ])("A7: is none with %s", (_what, registration) => {
    expect(readRequest(registration)).toBeUndefined();
  });

  it("counts as the oldest without a time", () => {
    expect(readRequest(withMetadata({ creationTimestamp: undefined }))?.createdMs).toBe(0);
    expect(readRequest(withMetadata({ namespace: undefined }))?.workspace).toBe("");
  });
});

describe("tokenNameOf: the token that a registration names", () => {
  const labeled = { "rollcall.dev/token": "ours" };
  it.each<[string, KubeObject, string | undefined]>([
    ["the label alone, which wins", requestOf({ token: "edge", labels: labeled }), "edge"],
    ["our values where the label is empty", requestOf({ token: "", labels: labeled }), "ours"],
    ["our values where there is no label", requestOf({ labels: labeled }), "ours"],
    ["none where both are empty", requestOf({ token: "", labels: { "rollcall.dev/token": "" } }), undefined],
    ["none where there are neither", requestOf({}), undefined],
    ["none without any labels", withMetadata({ labels: undefined }), undefined],
  ])("is by %s", (_reason, registration, expected) => {
    expect(tokenNameOf(registration)).toBe(expected);
  });
});
