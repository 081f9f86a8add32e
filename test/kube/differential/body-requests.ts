import type { Request } from "./replay.ts";

const maps = "/api/v1/namespaces/NS/configmaps";
const things = "/apis/GROUP/v1/namespaces/NS/things";
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const jsonPatch = "application/json-patch+json";

const bodyTypes = ["application/x-yaml", "text/plain", "*/*", "application/cbor", "application/yaml", "a;b", merge];
const wrongOptions = [
  ...["[]", '"x"', "true", "{", "{}x", "{} {}", '{"kind":1}', '{"apiVersion":"a/b/c"}'],
  '{"apiVersion":"a/b/c","kind":"DeleteOptions"}',
];

/** Deletes whose body is no DeleteOptions, or that have none and name a type all the same. */
export const deleteBodyRequests: readonly Request[] = [
  { method: "POST", path: maps, body: { metadata: { name: "a" } } },
  ...wrongOptions.flatMap((body): Request[] => [
    { method: "DELETE", path: `${maps}/a`, body },
    { method: "DELETE", path: `${maps}?labelSelector=none`, body },
  ]),
  { method: "DELETE", path: `${maps}/a`, body: "{}", contentType: "application/vnd.kubernetes.protobuf" },
  ...bodyTypes.flatMap((contentType): Request[] => [
    { method: "DELETE", path: `${maps}/a?dryRun=All`, contentType },
    { method: "DELETE", path: `${maps}?labelSelector=none`, contentType },
    { method: "DELETE", path: `${maps}/a?dryRun=All`, body: "{}", contentType },
  ]),
];

const wrongTypes = ['{"apiVersion":"a/b/c","kind":"KIND"}'];
const withoutKind = ["null", " ", "{}", '{ "metadata" : {"name":"a" }}', '{"metadata":{"name":"a"},"a":1,"a":2}'];

/** Bodies of objects whose type cannot be read. */
export const typelessRequests: readonly Request[] = [
  { method: "POST", path: maps, body: { metadata: { name: "a" } } },
  ...[...wrongTypes, ...withoutKind].flatMap((body) =>
    ["application/json", "application/yaml"].flatMap((contentType): Request[] => [
      { method: "POST", path: `${maps}?dryRun=All`, body: body.replace("KIND", "ConfigMap"), contentType },
      { method: "PUT", path: `${maps}/a?dryRun=All`, body: body.replace("KIND", "ConfigMap"), contentType },
      { method: "POST", path: `${things}?dryRun=All`, body: body.replace("KIND", "Thing"), contentType },
      { method: "PUT", path: `${things}/a?dryRun=All`, body: body.replace("KIND", "Thing"), contentType },
    ]),
  ),
  ...["{}", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}'].map((body): Request => ({
    method: "POST",
    path: maps,
    body,
    contentType: "application/vnd.kubernetes.protobuf",
  })),
];

const halves = [
  ...[
    String.raw`"\ud800"`,
    String.raw`"a\udc00b"`,
    String.raw`"\ud83d\ude00"`,
    String.raw`"\\ud800"`,
    String.raw`"\\\ud800"`,
  ],
  ...[String.raw`"\ud800\ud800x"`, String.raw`"\uD800\u0041"`, `"\u{1f600}"`],
];

/** Objects with halves of characters, which JSON can escape and UTF-8 has not. */
export const halfCharacterRequests: readonly Request[] = halves.flatMap((text, index) =>
  ["", "\n"].flatMap((line) => {
    const body = `{"apiVersion":"v1","kind":"ConfigMap",${line}"metadata":{"name":"half-${index}"},"data":{"a":${text}}}`;
    const thing = `{"apiVersion":"GROUP/v1","kind":"Thing",${line}"metadata":{"name":"half-${index}","annotations":{"a":${text}}}}`;
    return [
      { method: "POST", path: `${maps}?dryRun=All`, body },
      { method: "POST", path: `${maps}?dryRun=All`, body, contentType: "application/yaml" },
      { method: "POST", path: `${maps}?dryRun=All`, body: body.replace('"a":', `${text}:`) },
      { method: "POST", path: `${things}?dryRun=All`, body: thing },
      { method: "POST", path: `${things}?dryRun=All`, body: thing, contentType: "application/yaml" },
      patch(`${maps}/half-${index}?fieldManager=a&dryRun=All`, "application/apply-patch+yaml", body),
    ] satisfies Request[];
  }),
);

const operations = [
  ...["null", "", "{", "{}", "1", '"a"', "[]", "[null]", "a: b", "[] []"],
  '[{"op":"add","path":"/metadata/labels","value":{"a":"b"},"note":1}]',
  '[{"op":"add","path":"/metadata/labels","value":{},"value":{"a":"c"},"Op":"add"},{"x":1,"op":"test","path":"/kind","value":"KIND"}]',
];
const documents = [
  ...["", "{", "1", '"a"', "true", "a: b", "{}x"],
  '{"note":1,"metadata":{"labels":{"a":"1","a":"2"}},"other":{}}',
];

/** Patches that cannot be read, or have fields that no operation has, with and without a check of fields. */
export const patchBodyRequests: readonly Request[] = [
  { method: "POST", path: maps, body: { metadata: { name: "a" } } },
  { method: "POST", path: things, body: { apiVersion: "GROUP/v1", kind: "Thing", metadata: { name: "a" } } },
  ...["Strict", "Warn", "Ignore"].flatMap((validation) =>
    [
      ...operations.map((body) => [jsonPatch, body] as const),
      ...documents.flatMap((body) => [[merge, body] as const, [strategic, body] as const]),
    ].flatMap(([contentType, body]): Request[] => [
      patch(`${maps}/none?fieldValidation=${validation}`, contentType, body),
      patch(`${maps}/a?fieldValidation=${validation}`, contentType, body.replace("KIND", "ConfigMap")),
      patch(`${things}/a?fieldValidation=${validation}`, contentType, body.replace("KIND", "Thing")),
    ]),
  ),
];

function patch(path: string, contentType: string, body: string): Request {
  return { method: "PATCH", path, contentType, body };
}
