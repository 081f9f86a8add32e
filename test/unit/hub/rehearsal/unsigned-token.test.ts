import { describe, expect, it } from "vitest";
import { isTokenSecret, unsignedToken, withToken } from "../../../../src/hub/rehearsal/unsigned-token.ts";
import { coreObject } from "../objects.ts";

const type = "kubernetes.io/service-account-token";
const account = coreObject("ServiceAccount", "agent");
const read = ({ name }: { readonly name: string }) => (name === "agent" ? account : undefined);
const claimsOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));

describe("isTokenSecret", () => {
  it.each([
    { reason: "one that waits for its token", object: coreObject("Secret", "s", {}, { type }), expected: true },
    { reason: "one that has it", object: coreObject("Secret", "s", {}, { type, data: {} }), expected: false },
    { reason: "one of another type", object: coreObject("Secret", "s", {}, { type: "Opaque" }), expected: false },
    { reason: "another kind", object: coreObject("ConfigMap", "s", {}, { type }), expected: false },
  ])("$expected for $reason", ({ object, expected }) => {
    expect(isTokenSecret(object)).toBe(expected);
  });
});

describe("unsignedToken", () => {
  it("names account and Secret, and has no signature", () => {
    const boundSecret = { name: "s", uid: "u" };
    const token = unsignedToken(
      { namespace: "fleet", serviceAccount: "agent", expirationSeconds: 60, boundSecret },
      read,
    );
    expect(token.endsWith(".")).toBe(true);
    expect(claimsOf(token)).toEqual({
      "kubernetes.io": {
        namespace: "fleet",
        serviceaccount: { name: "agent", uid: "uid-agent" },
        secret: boundSecret,
      },
    });
  });
});

describe("withToken", () => {
  it("fills in the token of the annotated account and the namespace", () => {
    const annotations = { "kubernetes.io/service-account.name": "agent" };
    const { data } = withToken(coreObject("Secret", "s", { annotations }, { type }), read) as unknown as {
      data: Record<string, string>;
    };
    const decoded = (key: string) => Buffer.from(data[key] ?? "", "base64").toString("utf8");
    expect(decoded("namespace")).toBe("fleet");
    expect(claimsOf(decoded("token"))).toMatchObject({
      "kubernetes.io": { serviceaccount: { name: "agent", uid: "uid-agent" } },
    });
  });
});
