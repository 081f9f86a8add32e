import type { JsonObject } from "../../src/core/json.ts";
import type { TestHub } from "../contract/embedded-hub/hub-client.ts";
import { answerOf, startTestHub } from "../contract/embedded-hub/hub-client.ts";
import { isKubernetesOwn500 } from "../support/own-500s.ts";
import type { Dice } from "./random-input.ts";
import { randomJson, randomText, shaken } from "./random-input.ts";
import type { Input, Target } from "./target.ts";
import { inputOf } from "./target.ts";

const types: Readonly<Record<string, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};
const container = {
  name: "app",
  image: "i",
  ports: [{ containerPort: 80, protocol: "TCP" }],
  env: [{ name: "A", value: "1" }],
  volumeMounts: [{ name: "v", mountPath: "/v" }],
};
const template = {
  metadata: { labels: { app: "a" } },
  spec: {
    containers: [container],
    volumes: [{ name: "v", emptyDir: {} }],
    tolerations: [{ key: "a", operator: "Exists" }],
  },
};
const deployment: JsonObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "a", labels: { app: "a" }, finalizers: ["a.io/b"] },
  spec: { replicas: 0, selector: { matchLabels: { app: "a" } }, strategy: { type: "Recreate" }, template },
};
const service: JsonObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "a" },
  spec: { ports: [{ name: "http", port: 80, targetPort: 8080 }], selector: { app: "a" } },
};
/** By the first letter of a form: what is patched. */
const objects: Readonly<Record<string, { readonly object: JsonObject; readonly path: string }>> = {
  d: { object: deployment, path: "/apis/apps/v1/namespaces/default/deployments" },
  s: { object: service, path: "/api/v1/namespaces/default/services" },
};
const kinds = Object.keys(objects).flatMap((letter) => Object.keys(types).map((type) => `${letter}${type}`));

const directives: readonly unknown[] = [
  { $patch: "replace" },
  { $patch: "delete" },
  { $patch: "merge" },
  { $patch: "other" },
  { name: "app", $patch: "delete" },
  { "$setElementOrder/containers": [{ name: "app" }, { name: "b" }] },
  { "$setElementOrder/finalizers": ["b", "a.io/b"] },
  { "$deleteFromPrimitiveList/finalizers": ["a.io/b"] },
  { $retainKeys: ["type"], type: "RollingUpdate" },
  { $retainKeys: [] },
  null,
  [],
  {},
];
const pointers = [
  "/metadata/labels/app",
  "/metadata/finalizers/-",
  "/metadata/finalizers/0",
  "/spec/template/spec/containers/0",
  "/spec/template/spec/containers/0/env/1",
  "/spec/ports/0/port",
  "/spec",
  "",
  "/metadata/managedFields",
  "/spec/template/spec/containers/00",
  "/a~1b/~0",
];

function randomPatch(dice: Dice): Input {
  const form = dice.pick(kinds);
  const { object } = objects[form.charAt(0)] ?? { object: deployment };
  if (form.slice(1) !== "json") return inputOf(form, JSON.stringify(shaken(dice, object, directives)) ?? "");
  const pointer = (): string => (dice.next() < 0.8 ? dice.pick(pointers) : `/${randomText(dice)}`);
  const operations = Array.from({ length: 1 + dice.below(6) }, () => ({
    op: dice.pick(["add", "remove", "replace", "move", "copy", "test"]),
    path: pointer(),
    from: pointer(),
    value: dice.next() < 0.5 ? dice.pick(directives) : randomJson(dice, 3),
  }));
  return inputOf(form, JSON.stringify(operations));
}

/** Patches of all kinds to objects with lists of every strategy. */
const patches: Target = {
  seeds: Object.entries(objects).flatMap(([letter, { object }]) => [
    ...["merge", "strategic", "apply"].map((type) => inputOf(`${letter}${type}`, JSON.stringify(object))),
    inputOf(`${letter}json`, JSON.stringify([{ op: "replace", path: "/metadata/labels", value: { a: "b" } }])),
    inputOf(`${letter}strategic`, '{"spec":{"$retainKeys":["ports"],"ports":[{"port":80,"$patch":"delete"}]}}'),
    inputOf(`${letter}strategic`, '{"spec":{"template":{"spec":{"containers":[{"name":"b","image":"c"}]}}}}'),
  ]),
  generate: randomPatch,
  open: async () => {
    const hub: TestHub = await startTestHub();
    for (const { object, path } of Object.values(objects)) await hub.call({ method: "POST", path, body: object });
    return {
      take: async ({ form, bytes }) => {
        const { path } = objects[form.charAt(0)] ?? { path: "" };
        const type = form.slice(1);
        const manager = type === "apply" ? "&fieldManager=fuzz&force=true" : "";
        const headers = { "content-type": types[type] ?? "" };
        const call = { method: "PATCH", path: `${path}/a?dryRun=All${manager}`, body: Buffer.from(bytes), headers };
        const { statusCode, text } = await answerOf(await hub.open(call));
        if (statusCode < 500 || isKubernetesOwn500(text)) return;
        throw new Error(`the hub answers ${statusCode}: ${text.slice(0, 200)}`);
      },
      close: () => hub.stop(),
    };
  },
};

/** What patches of others may contain. */
export const patchTargets = { patches };
