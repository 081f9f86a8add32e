import type { Json } from "../../../src/core/json.ts";
import { canonicalJson, isJsonObject } from "../../../src/core/json.ts";
import { parseExactJson } from "../../../src/core/exact-json.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { yamlTexts } from "./yaml-texts.ts";
import { until } from "../until.ts";

/** What a hub answers to a value of a custom object: of a refusal its message, else the JSON text of what it stores. */
export type ValueAnswer = readonly [code: number, content: string];

export interface TextAnswer {
  readonly code: number;
  readonly text: string;
}

export interface TextRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly body?: string;
}

/** A hub that is asked with texts and answers with texts: nothing between reads a number. */
export type SendText = (request: TextRequest) => Promise<TextAnswer>;

const root = "/apis/values.example.org/v1/namespaces/default/values";

/** A custom kind: `any` keeps everything, `whole` is an integer of 64 bits, `number` a number, `rule` has a rule in CEL. */
const valueDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "values.values.example.org" },
  spec: {
    group: "values.example.org",
    scope: "Namespaced",
    names: { plural: "values", kind: "Value" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              any: { "x-kubernetes-preserve-unknown-fields": true },
              whole: { type: "integer", format: "int64" },
              plain: { type: "integer" },
              small: { type: "integer", format: "int32" },
              number: { type: "number" },
              port: { "x-kubernetes-int-or-string": true },
              rule: { type: "integer", "x-kubernetes-validations": [{ rule: "self != 9007199254740992" }] },
              set: { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" },
            },
          },
        },
      },
    ],
  },
};

/** Defines the kind and waits until it is served. */
async function defineValues(send: SendText): Promise<void> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const made = await send({
    method: "POST",
    path,
    contentType: "application/json",
    body: JSON.stringify(valueDefinition),
  });
  if (made.code !== 201) throw new Error(made.text);
  await until(
    () => send({ method: "GET", path: root }),
    ({ code }) => code === 200,
  );
}

const integerLiterals: readonly string[] = [
  "0",
  "-0",
  "1.0",
  "1e3",
  "1E3",
  "3.5",
  "1e400",
  "-1e400",
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775808",
  "-9223372036854775809",
  "18446744073709551615",
  "1e18",
  "1e21",
  "123456789012345678901234567890",
  "2147483648",
];

const integerFields = ["any", "whole", "plain", "small", "number", "port", "rule", "set"] as const;
const integerWays = ["create", "createYaml", "apply", "merge", "jsonPatch"] as const;

/** The requests that write each literal into each field in each way, by name. */
function integerRequests(): readonly (readonly [name: string, request: TextRequest])[] {
  return integerFields.flatMap((field) =>
    integerLiterals.flatMap((literal) =>
      integerWays.map((way) => [`${field} ${literal} ${way}`, integerRequest(field, literal, way)] as const),
    ),
  );
}

function integerRequest(field: string, literal: string, way: (typeof integerWays)[number]): TextRequest {
  const value = field === "set" ? `[${literal}]` : literal;
  const head = '"apiVersion":"values.example.org/v1","kind":"Value"';
  const query = "dryRun=All&fieldManager=test";
  const patch = { method: "PATCH", path: `${root}/exists?${query}` };
  switch (way) {
    case "create":
      return {
        method: "POST",
        path: `${root}?${query}`,
        contentType: "application/json",
        body: `{${head},"metadata":{"name":"a"},"${field}":${value}}`,
      };
    case "createYaml":
      return {
        method: "POST",
        path: `${root}?${query}`,
        contentType: "application/yaml",
        body: `apiVersion: values.example.org/v1\nkind: Value\nmetadata: {name: a}\n${field}: ${value}\n`,
      };
    case "apply":
      return {
        ...patch,
        contentType: "application/apply-patch+yaml",
        body: `{${head},"metadata":{"name":"exists"},"${field}":${value}}`,
      };
    case "merge":
      return { ...patch, contentType: "application/merge-patch+json", body: `{"${field}":${value}}` };
    case "jsonPatch":
      return {
        ...patch,
        contentType: "application/json-patch+json",
        body: `[{"op":"add","path":"/${field}","value":${value}}]`,
      };
  }
}

/** The object that patches change. */
const existingValue: TextRequest = {
  method: "POST",
  path: root,
  contentType: "application/json",
  body: '{"apiVersion":"values.example.org/v1","kind":"Value","metadata":{"name":"exists"}}',
};

/** A YAML value, alone or with lines behind it that begin with their own key. */
function yamlRequest(yaml: string): TextRequest {
  return {
    method: "POST",
    path: `${root}?dryRun=All`,
    contentType: "application/yaml",
    body: `apiVersion: values.example.org/v1\nkind: Value\nmetadata: {name: a}\nany:\n  v: ${yaml}\n`,
  };
}

async function askValue(send: SendText, request: TextRequest, field: string): Promise<ValueAnswer> {
  const { code, text } = await send(request);
  const body = parseExactJson(text);
  if (code >= 300) return [code, textAt(body, "message") ?? ""];
  const value: Json | undefined = isJsonObject(body) ? body[field] : undefined;
  return [code, value === undefined ? "absent" : canonicalJson(value)];
}

/** The answers of a hub to every number and every YAML text, by name. */
export async function answersToValues(send: SendText): Promise<Readonly<Record<string, ValueAnswer>>> {
  await defineValues(send);
  await send(existingValue);
  const answers: Record<string, ValueAnswer> = {};
  for (const [name, request] of integerRequests()) {
    answers[name] = await askValue(send, request, name.split(" ")[0] ?? "");
  }
  for (const yaml of yamlTexts) answers[`yaml ${yaml}`] = await askValue(send, yamlRequest(yaml), "any");
  return answers;
}
