import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Declared } from "../../../src/model/declared-fleet.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { Problem } from "../../../src/model/problem.ts";
import type { DecryptFile } from "../../../src/review/decrypt-secrets.ts";
import { decryptSecrets } from "../../../src/review/decrypt-secrets.ts";

const refused: Problem = { code: "E_SOPS_MAC", severity: "error", file: "s.yaml", line: 1, column: 1, message: "no" };

/** Secret `name`, at this line of `s.yaml`. */
function secretAt(name: string, line: number, blobId = "b1"): Declared<KubeObject> {
  const object = { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "fleet" } };
  return { object, position: { file: "s.yaml", line, column: 1 }, blobId };
}

/** A file whose documents begin at these lines. */
const fileOf = (lines: readonly number[], column = 1) =>
  ({
    ...{ path: "s.yaml", blobId: "b1", text: "" },
    documents: lines.map((line, index) => ({ index, position: { file: "s.yaml", line, column } })),
  }) as never;

async function decrypt(
  encrypted: readonly Declared<KubeObject>[],
  answer: readonly (JsonObject | undefined)[] | Problem | Error,
  file = fileOf([1, 5]),
) {
  const asked: string[] = [];
  const open: DecryptFile = ({ path }) => {
    asked.push(path);
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve(
      "code" in answer ? { kind: "problem", problem: answer } : { kind: "documents", documents: answer },
    );
  };
  const result = await decryptSecrets(encrypted, {
    files: [file],
    openKeys: () => {
      asked.push("keys");
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(open);
    },
  });
  const data = result.secrets.map(({ object }) => object["data"]);
  return { ...result, data, asked };
}

describe("decryptSecrets", () => {
  it("asks for no keys without a Secret", async () => {
    expect(await decrypt([], [])).toMatchObject({ secrets: [], problems: [], brokenObjects: [], asked: [] });
  });

  it("gives each Secret the values of its document, and decrypts a file once", async () => {
    const documents = [{ data: { key: "YQ==" } }, { stringData: { text: "a" }, data: { text: "Yg==", key: "" } }];
    const { secrets, data, problems, asked } = await decrypt([secretAt("a", 1), secretAt("b", 5)], documents);
    expect(data).toEqual([{ key: "YQ==" }, { text: "YQ==", key: "" }]);
    expect(secrets[0]?.object).toMatchObject({ apiVersion: "v1", kind: "Secret", type: "Opaque" });
    expect([problems, asked]).toEqual([[], ["keys", "s.yaml"]]);
  });

  it.each<[string, readonly (JsonObject | undefined)[]]>([
    ["has no values", [{}]],
    ["could not be read", [undefined]],
    ["has values that are no map", [{ data: ["YQ=="], stringData: "x" }]],
  ])("gives no data where the document %s", async (_reason, documents) => {
    expect((await decrypt([secretAt("a", 1)], documents)).data).toEqual([{}]);
  });

  it("takes base64 in lines, as an API server does, and keeps it as that returns it", async () => {
    const lines = { data: { unix: "YWFh\nYmJi\n", windows: "YWFh\r\nYg==\r\n" } };
    const { data, problems } = await decrypt([secretAt("a", 1)], [lines]);
    expect([data, problems]).toEqual([[{ unix: "YWFhYmJi", windows: "YWFhYg==" }], []]);
  });

  it.each<[string, JsonObject, string]>([
    ["data that are not base64", { data: { key: "no base64!" } }, 'data: the value of "key" is not base64'],
    ["base64 with a blank in it", { data: { key: "YW Fh" } }, 'data: the value of "key" is not base64'],
    ["data that are no text", { data: { key: 5 } }, 'data: the value of "key" is not base64'],
    ["text that is a number", { stringData: { key: 5 } }, 'stringData: the value of "key" is no text'],
  ])("reports %s, and leaves what is on the hub", async (_reason, document, message) => {
    const { secrets, problems, brokenObjects } = await decrypt([secretAt("a", 1)], [document]);
    expect(problems).toMatchObject([{ code: "E_SCHEMA", file: "s.yaml", line: 1, message, object: "Secret/fleet/a" }]);
    expect([secrets, brokenObjects]).toEqual([[], ["Secret/fleet/a"]]);
  });

  it("reports a file that cannot be decrypted once, and hurts no other Secret by it", async () => {
    const { secrets, problems, brokenObjects, asked } = await decrypt([secretAt("a", 1), secretAt("b", 5)], refused);
    expect([secrets, problems]).toEqual([[], [refused]]);
    expect(brokenObjects).toEqual(["Secret/fleet/a", "Secret/fleet/b"]);
    expect(asked).toEqual(["keys", "s.yaml"]);
  });

  it.each([
    ["whose file is of an earlier commit", secretAt("a", 1, "b0"), fileOf([1])],
    ["at a line where no document is", secretAt("a", 2), fileOf([1])],
    ["at a column where no document is", secretAt("a", 1), fileOf([1], 3)],
  ])("leaves a Secret on the hub as it is %s", async (_reason, secret, file) => {
    const { secrets, problems, brokenObjects, asked } = await decrypt([secret], [{ data: { key: "YQ==" } }], file);
    expect([secrets, problems, brokenObjects]).toEqual([[], [], ["Secret/fleet/a"]]);
    expect(asked).toEqual(["keys"]);
  });

  it("reports keys that cannot be had at the file, and fails with a defect", async () => {
    const absent = new AppError("E_SOPS_KEY", "read Secret age: it is not there");
    const { problems, brokenObjects } = await decrypt([secretAt("a", 1)], absent);
    expect(problems).toMatchObject([{ code: "E_SOPS_KEY", file: "s.yaml" }]);
    expect(problems[0]?.message).toContain("it is not there");
    expect(brokenObjects).toEqual(["Secret/fleet/a"]);
    await expect(decrypt([secretAt("a", 1)], new TypeError("defect"))).rejects.toThrow("defect");
  });
});
