import { describe, expect, it } from "vitest";
import { serverOf, serverOfSecret } from "../../../src/publish/published-server.ts";

describe("serverOf", () => {
  it.each([
    ["https://a.example.com", "https://a.example.com"],
    ["https://A.example.com:443//", "https://a.example.com"],
    ["https://a.example.com:6443/prefix/", "https://a.example.com:6443/prefix"],
    ["no address/", "no address"],
  ])("has one form for the spellings of an address: %s", (text, form) => {
    expect(serverOf(text)).toBe(form);
  });
});

describe("serverOfSecret", () => {
  const secret = (type: string, data: object = {}) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", labels: { "argocd.argoproj.io/secret-type": type } },
    data,
  });
  const server = Buffer.from("https://a.example.com/").toString("base64");

  it("reads the address of a cluster Secret of Argo CD, and of no other one", () => {
    expect(serverOfSecret(secret("cluster", { server }))).toBe("https://a.example.com");
    expect(serverOfSecret(secret("cluster"))).toBe("");
    expect(serverOfSecret(secret("repository", { server }))).toBeUndefined();
  });
});
