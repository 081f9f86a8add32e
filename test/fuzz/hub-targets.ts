import type { Call, TestHub } from "../contract/embedded-hub/hub-client.ts";
import { answerOf, startTestHub } from "../contract/embedded-hub/hub-client.ts";
import { encodeKubeObject } from "../../src/embedded-hub/protobuf/kube-protobuf.ts";
import { isKubernetesOwn500 } from "../support/own-500s.ts";
import type { Dice } from "./random-input.ts";
import { randomJson, randomText } from "./random-input.ts";
import type { Input, Target } from "./target.ts";
import { inputOf } from "./target.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const contentTypes: Readonly<Record<string, string>> = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf",
  merge: "application/merge-patch+json",
  operations: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};
const header = "apiVersion: v1\nkind: ConfigMap\n";

/** A hub with one ConfigMap. Every answer is right but a failure of the server's own. */
function onHub(callOf: (input: Input) => Call): Target["open"] {
  return async () => {
    const hub: TestHub = await startTestHub();
    await hub.call({ method: "POST", path: configMaps, body: { metadata: { name: "a" }, data: { x: "1" } } });
    return {
      take: async (input) => {
        const response = await hub.open(callOf(input));
        // A watch has no length and no end.
        if (response.statusCode === 200 && response.headers["content-length"] === undefined) {
          response.destroy();
          return;
        }
        const { statusCode, text } = await answerOf(response);
        if (statusCode < 500 || statusCode === 501 || isKubernetesOwn500(text)) return;
        throw new Error(`the hub answers ${statusCode}: ${text.slice(0, 200)}`);
      },
      close: () => hub.stop(),
    };
  };
}

function protobufOf(data: Readonly<Record<string, string>>): Uint8Array {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", labels: { a: "b" } }, data };
  const bytes = encodeKubeObject(object);
  if (bytes === undefined) throw new Error("a ConfigMap has no protobuf form");
  return bytes;
}

function randomBody(dice: Dice): Input {
  const form = dice.pick(Object.keys(contentTypes));
  if (form === "protobuf") return inputOf(form, protobufOf({ [randomText(dice)]: randomText(dice) }));
  if (form === "operations") {
    const op = dice.pick(["add", "remove", "replace", "move", "copy", "test"]);
    const path = (): string => dice.pick(["/data/x", "/data/-", "/metadata/labels", `/${randomText(dice)}`, ""]);
    return inputOf(form, JSON.stringify([{ op, path: path(), from: path(), value: randomJson(dice, 3) }]));
  }
  const object = {
    ...(form === "apply" ? { apiVersion: "v1", kind: "ConfigMap" } : {}),
    metadata: { name: dice.pick(["a", randomText(dice)]), [randomText(dice)]: randomJson(dice, 2) },
    data: randomJson(dice, 3),
  };
  return inputOf(form, JSON.stringify(object));
}

const api: Target = {
  seeds: [
    inputOf("json", '{"metadata":{"name":"b"},"data":{"x":"1"}}'),
    inputOf("yaml", `${header}metadata: {name: b}\ndata: &x {a: "1"}\n`),
    inputOf("protobuf", protobufOf({})),
    inputOf("protobuf", protobufOf({ x: "1", y: "2".repeat(200) })),
    inputOf("merge", '{"data":{"x":null,"y":"2"}}'),
    inputOf("operations", '[{"op":"add","path":"/data/y","value":"1"},{"op":"test","path":"/data/x","value":"1"}]'),
    inputOf("strategic", '{"metadata":{"labels":{"a":"b","$patch":"replace"}},"data":{"x":"2"}}'),
    inputOf("apply", `${header}metadata: {name: a}\ndata: {y: "1"}\n`),
  ],
  generate: randomBody,
  open: onHub(({ form, bytes }) => {
    const isCreate = ["json", "yaml", "protobuf"].includes(form);
    return {
      method: isCreate ? "POST" : "PATCH",
      path: `${configMaps}${isCreate ? "" : "/a"}?dryRun=All&fieldManager=fuzz`,
      body: Buffer.from(bytes),
      headers: { "content-type": contentTypes[form] ?? "" },
    };
  }),
};

const pathParts = "api/v1 apis/apps/v1 watch namespaces default pods configmaps a status log .. %2f %00 ;".split(" ");
const queryKeys = "fieldSelector labelSelector limit continue resourceVersion timeoutSeconds pretty dryRun".split(" ");

const paths: Target = {
  seeds: [
    inputOf("GET", "/api/v1/namespaces/default/configmaps?limit=1"),
    inputOf("GET", "/apis/apps/v1/deployments?labelSelector=a%3Db"),
    inputOf("DELETE", "/api/v1/namespaces/default/configmaps/a"),
  ],
  generate: (dice) => {
    const parts = Array.from({ length: 1 + dice.below(7) }, () => dice.pick([...pathParts, ""]));
    const query = `?${dice.pick(queryKeys)}=${randomText(dice)}`;
    return inputOf(dice.pick(["GET", "DELETE"]), `/${parts.join(dice.next() < 0.95 ? "/" : "//")}${query}`);
  },
  open: onHub(({ form, bytes }) => {
    const path = `/${Buffer.from(bytes)
      .toString("latin1")
      .replace(/[^!-~]/gu, "%01")
      .replace(/^\//u, "")}`;
    if (form === "GET") return { path };
    return { method: form, path: `${path}${path.includes("?") ? "&" : "?"}dryRun=All` };
  }),
};

/** Those that an API server reads. What frames a message is left out: the client writes it. */
const headerNames = [
  "accept",
  "accept-encoding",
  "accept-language",
  "audit-id",
  "authorization",
  "content-encoding",
  "content-type",
  "cookie",
  "if-match",
  "if-none-match",
  "impersonate-extra-a",
  "impersonate-group",
  "impersonate-uid",
  "impersonate-user",
  "kubectl-command",
  "origin",
  "range",
  "traceparent",
  "user-agent",
  "x-forwarded-for",
  "x-remote-user",
];
const headerValues = [
  "application/json;as=Table;v=v1;g=meta.k8s.io, application/json",
  "application/vnd.kubernetes.protobuf;q=0.5",
  "Bearer a.b.c",
  "Basic YTpi",
  "gzip;q=1, br",
  "bytes=0-1,5-",
  "system:masters",
];

const headers: Target = {
  seeds: [
    inputOf("GET", `accept: ${headerValues[0] ?? ""}\nuser-agent: kubectl/v1.34.0`),
    inputOf("GET", "impersonate-user: a\nimpersonate-group: b\nimpersonate-extra-a: c"),
    inputOf("POST", "content-type: application/json; charset=utf-8\ncontent-encoding: gzip"),
  ],
  generate: (dice) => {
    const value = (): string => dice.pick([dice.pick(headerValues), randomText(dice)]);
    const lines = Array.from({ length: 1 + dice.below(5) }, () => `${dice.pick(headerNames)}: ${value()}${value()}`);
    return inputOf(dice.pick(["GET", "POST"]), lines.join("\n"));
  },
  open: onHub(({ form, bytes }) => {
    const lines = Buffer.from(bytes).toString("latin1").slice(0, 12_000).split("\n");
    const sent = lines.flatMap((line): [string, string][] => {
      const [name = "", ...value] = line.split(":");
      const text = value
        .join(":")
        .replace(/[^\t\x20-\x7e\x80-\xff]/gu, "")
        .trim();
      return headerNames.includes(name.toLowerCase()) ? [[name.toLowerCase(), text]] : [];
    });
    const call = { path: `${configMaps}?dryRun=All`, headers: Object.fromEntries<string>(sent) };
    return form === "GET" ? call : { ...call, method: "POST", body: { metadata: { name: "b" } } };
  }),
};

/** What the embedded hub is asked. */
export const hubTargets = { api, paths, headers };
