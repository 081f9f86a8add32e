import { describe, expect, it } from "vitest";
import { isIssuedFor } from "../../../../../src/join/rollcall/hub/issued-for.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";

function childNamed(kind: "ServiceAccount" | "Secret", name: string, uid: string): KubeObject {
  return { apiVersion: "v1", kind, metadata: { namespace: "fleet", name, uid } };
}

/** As the API server issues it; the signature is not checked. */
function tokenOf(bound: object): string {
  const claims = JSON.stringify({ iss: "https://hub.example.com", "kubernetes.io": bound });
  return `e30.${Buffer.from(claims).toString("base64url")}.c2ln`;
}

const account = { name: "rollcall-eu-1", uid: "account-1" };
const secret = { name: "rollcall-eu-1.1", uid: "secret-1" };
const children = [
  childNamed("ServiceAccount", "rollcall-eu-1", "account-1"),
  childNamed("Secret", "rollcall-eu-1.1", "secret-1"),
];

describe("isIssuedFor", () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ["its account and its Secret", tokenOf({ serviceaccount: account, secret }), true],
    ["its account alone", tokenOf({ serviceaccount: account }), true],
    ["an account that was made anew", tokenOf({ serviceaccount: { ...account, uid: "account-0" }, secret }), false],
    ["an account that is not there", tokenOf({ serviceaccount: { ...account, name: "rollcall-eu-2" }, secret }), false],
    [
      "a Secret that was made anew",
      tokenOf({ serviceaccount: account, secret: { ...secret, uid: "secret-0" } }),
      false,
    ],
    [
      "a Secret that is not there",
      tokenOf({ serviceaccount: account, secret: { ...secret, name: "rollcall-eu-1.2" } }),
      false,
    ],
    ["an account without a uid", tokenOf({ serviceaccount: { name: "rollcall-eu-9" } }), true],
    ["a uid without a name", tokenOf({ serviceaccount: { uid: "account-0" } }), true],
    ["nothing", tokenOf({}), true],
    ["what cannot be read: it is no token of claims", "opaque", true],
  ];
  it.each(rows)("decides of a token for %s whether the API server takes it", (_, token, isGood) => {
    expect(isIssuedFor(token, { children })).toBe(isGood);
  });
});
