import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json.ts";
import { checkCredential, checkSecret } from "../../../src/manifests/check-secret.ts";
import { parseText, problemLines } from "./read-text.ts";

const head = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: eu-1-kubeconfig\n";
const sealed = "ENC[AES256_GCM,data:Zm9v,iv:YmFy,tag:YmF6,type:str]";
const sops = `sops:\n  lastmodified: "2026-01-01T00:00:00Z"\n  mac: ${sealed}\n  version: 3.9.0\n`;

describe("Secrets in files", () => {
  it("pass when every value is encrypted by SOPS", () => {
    const file = parseText(`${head}type: Opaque\nstringData:\n  value: ${sealed}\n${sops}`);
    expect(file.problems).toEqual([]);
    expect(file.documents.map(({ object }) => object.metadata.name)).toEqual(["eu-1-kubeconfig"]);
    expect(file.documents[0]?.object).toHaveProperty("sops");
  });

  it.each([
    {
      reason: "no value is encrypted",
      rest: "data:\n  value: aHVudGVyMg==\n",
      problem: /^6:3 E_PLAIN_SECRET data: the value of "value" is not encrypted$/u,
    },
    {
      reason: "one value is not",
      rest: `stringData:\n  a: ${sealed}\n  b: hunter2\n${sops}`,
      problem: /^7:3 E_PLAIN_SECRET/u,
    },
    { reason: "a value is a number", rest: `stringData:\n  a: 12345\n${sops}`, problem: /^6:3 E_PLAIN_SECRET/u },
    {
      reason: "it only resembles encrypted text",
      rest: `stringData:\n  a: ${sealed}\n`,
      problem: /^2:1 E_PLAIN_SECRET/u,
    },
    {
      reason: "it has no mac",
      rest: `stringData:\n  a: ${sealed}\nsops: {version: "3"}\n`,
      problem: /E_PLAIN_SECRET sops: has no mac/u,
    },
    { reason: "it holds nothing", rest: "", problem: /^2:7 E_SCHEMA the Secret has no values/u },
    {
      reason: "the hub fills it with the token of an account",
      rest: "  annotations: {kubernetes.io/service-account.name: a}\ntype: kubernetes.io/service-account-token\n",
      problem: /^2:7 E_SCHEMA the Secret has no values/u,
    },
    { reason: "it was encrypted without values", rest: sops, problem: /^2:7 E_SCHEMA the Secret has no/u },
    { reason: "its data is no map", rest: "data: hunter2\n", problem: /^5:1 E_PLAIN_SECRET data: is not encrypted$/u },
  ])("are refused when $reason", ({ rest, problem }) => {
    const file = parseText(head + rest);
    expect(problemLines(file)).toEqual([expect.stringMatching(problem)]);
    expect(file.documents).toEqual([]);
    expect(file.brokenObjects).toEqual(["Secret//eu-1-kubeconfig"]);
  });

  it("A261 are refused when kubectl left a copy of their values in an annotation", () => {
    const annotation = "kubectl.kubernetes.io/last-applied-configuration";
    const withCopy = (copy: string) =>
      parseText(`${head}  annotations:\n    ${annotation}: '${copy}'\ndata:\n  value: ${sealed}\n${sops}`);
    const { problems, documents } = withCopy('{"data":{"value":"aHVudGVyMg=="}}');
    expect(documents).toEqual([]);
    expect(problems).toMatchObject([
      {
        ...{ line: 6, column: 5, code: "E_PLAIN_SECRET" },
        message: `metadata.annotations: ${annotation} holds the values of the Secret`,
        fix: expect.stringMatching(/^Delete the annotation\./u) as string,
      },
    ]);
    expect(JSON.stringify(problems)).not.toContain("aHVudGVyMg");
    expect([withCopy(sealed).problems, withCopy("").problems]).toEqual([[], []]);
  });

  it("are refused when they are of a type that means something to Kubernetes", () => {
    const file = parseText(`${head}type: kubernetes.io/service-account-token\ndata:\n  a: ${sealed}\n${sops}`);
    expect(problemLines(file)).toEqual(["5:7 E_SCHEMA type: only Secrets of type Opaque are applied from files"]);
  });

  it("are a request's answer, too, where it is committed", () => {
    const request = `apiVersion: clusters.clusternet.io/v1beta1\nkind: ClusterRegistrationRequest\nmetadata:\n  name: a\nspec:\n  clusterId: 4bb4fb4c-9a3c-4a77-8b3c-3a4f3f3f3f3f\n  clusterName: edge-1\n`;
    const file = parseText(`${request}status:\n  result: Approved\n  token: aHVudGVyMg==\n`);
    expect(problemLines(file)).toEqual(["10:3 E_PLAIN_SECRET status.token: is the agent's credential"]);
    expect(file.documents).toEqual([]);
    expect(problemLines(parseText(`${request}status:\n  result: Approved\n`))).toEqual([]);
  });

  it.each(["REDACTED", "<redacted>", "'[REDACTED]'", "'***'"])(
    "are not found in an answer whose token is %s",
    (token) => {
      const request = `apiVersion: clusters.clusternet.io/v1beta1\nkind: ClusterRegistrationRequest\nmetadata:\n  name: clusternet-4bb4fb4c-9a3c-4a77-8b3c-3a4f3f3f3f3f\nspec:\n  clusterId: 4bb4fb4c-9a3c-4a77-8b3c-3a4f3f3f3f3f\n  clusterName: edge-1\n`;
      expect(problemLines(parseText(`${request}status:\n  result: Approved\n  token: ${token}\n`))).toEqual([]);
    },
  );

  it("never show a value in a problem, whatever is wrong with them", () => {
    const secret = "hunter2";
    const texts = [
      `${head}data:\n  a: ${secret}\n`,
      `${head}data:\n  a: ${secret}: ${secret}\n`,
      `${head}data:\n  a: "${secret}\n`,
      `${head}data:\n  a: ${secret}\n  a: ${secret}\n`,
      `${head}stringData: !${secret} {a: *${secret}}\n`,
      `${head}stringData:\n  a: |\n${secret}\n`,
      `${head}stringData: [${secret}]\n`,
      `${head}type: ${secret}\ndata: {}\n`,
    ];
    for (const text of texts) {
      const { problems } = parseText(text);
      expect(problems.length).toBeGreaterThan(0);
      expect(JSON.stringify(problems)).not.toContain(secret);
    }
  });
});

describe("checkSecret: what counts as encrypted", () => {
  const found = (changes: JsonObject): string[] =>
    checkSecret({ stringData: { a: sealed }, sops: { mac: sealed }, ...changes }).map(
      ({ code, path }) => `${code} ${path.join(".")}`,
    );

  it.each<[string, JsonObject, readonly string[]]>([
    ["every value", {}, []],
    ["values of both maps", { data: { b: sealed } }, []],
    ["an empty text, which needs no encryption", { stringData: { a: sealed, b: "" } }, []],
    ["a map that is absent", { data: null }, []],
    ["no value of data beside a good one of stringData", { data: { b: "cGxhaW4=" } }, ["E_PLAIN_SECRET data.b"]],
    ["no text that only begins so", { stringData: { a: `${sealed} plain` } }, ["E_PLAIN_SECRET stringData.a"]],
    ["no text that only ends so", { stringData: { a: `plain ${sealed}` } }, ["E_PLAIN_SECRET stringData.a"]],
    [
      "no text of two of them with more between",
      { stringData: { a: `${sealed}plain${sealed}` } },
      ["E_PLAIN_SECRET stringData.a"],
    ],
    ["no list", { data: [sealed] }, ["E_PLAIN_SECRET data"]],
    ["no true", { stringData: { a: true } }, ["E_PLAIN_SECRET stringData.a"]],
    ["nothing without what SOPS wrote", { sops: null }, ["E_PLAIN_SECRET kind"]],
    ["nothing without a value", { stringData: null }, ["E_SCHEMA kind"]],
    ["nothing with a mac that is plain", { sops: { mac: "x" } }, ["E_PLAIN_SECRET sops"]],
    ["nothing with a mac that is none", { sops: { mac: 1 } }, ["E_PLAIN_SECRET sops"]],
    ["the type of plain content", { type: "Opaque" }, []],
    ["no other type", { type: "kubernetes.io/tls" }, ["E_SCHEMA type"]],
  ])("is %s", (_what, changes, expected) => {
    expect(found(changes)).toEqual(expected);
  });
});

describe("checkCredential: a credential in a committed answer", () => {
  const found = (token: Json, kind = "ClusterRegistrationRequest") =>
    checkCredential({ kind, status: { token } }).length;
  it.each<[Json, number]>([
    ["opaque", 1],
    ["redacted by hand", 1],
    ["[redacted", 0],
    ["(REDACTED)", 0],
    ["*".repeat(64), 0],
    ["*".repeat(65), 1],
    ["", 0],
    [7, 0],
  ])("%j: %i", (token, count) => {
    expect(found(token)).toBe(count);
  });

  it("is searched in requests alone, and not where there is no status", () => {
    expect(found("opaque", "Cluster")).toBe(0);
    expect(checkCredential({ kind: "ClusterRegistrationRequest" })).toEqual([]);
  });
});
