import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { objectAt, objectsAt, textsAt } from "../../../../src/core/read-json.ts";
import { applyStrategicMergePatch } from "../../../../src/embedded-hub/patch/strategic-merge-patch.ts";
import { schemaOf } from "../../../../src/embedded-hub/types/schema-of.ts";

/** What kube-apiserver 1.34.4 answered to strategic merge patches of a PodTemplate: what it has then, or code and message. */
interface Recorded {
  readonly live: JsonObject;
  readonly answers: readonly (readonly [patch: Json, outcome: Json])[];
}

const file = new URL("golden/strategic-patches.json", import.meta.url);
const { live, answers } = JSON.parse(readFileSync(file, "utf8")) as Recorded;

/** What of a PodTemplate the patches change, without what defaults add to it. */
function contentOf(object: JsonObject): Json {
  const spec = objectAt(object, "template", "spec") ?? {};
  const valuesOf = (name: string, key: string) => objectsAt(spec, name).map((item) => item[key] ?? "");
  const ifThere = (name: string, value: Json, holder: JsonObject) =>
    (holder[name] ?? null) === null ? {} : { [name]: value };
  return {
    containers: objectsAt(spec, "containers").map((container) => ({
      ...ifThere("name", container["name"] ?? null, container),
      ...ifThere("image", container["image"] ?? null, container),
      ...ifThere("args", container["args"] ?? null, container),
      ...ifThere(
        "env",
        objectsAt(container, "env").map(({ name, value }) => [name ?? "", value ?? ""]),
        container,
      ),
      ...ifThere(
        "ports",
        objectsAt(container, "ports").map(({ containerPort }) => containerPort ?? 0),
        container,
      ),
    })),
    volumes: objectsAt(spec, "volumes").map(({ name, ...sources }) => [name ?? "", ...Object.keys(sources).sort()]),
    secrets: valuesOf("imagePullSecrets", "name"),
    tolerations: valuesOf("tolerations", "key"),
    aliases: objectsAt(spec, "hostAliases").map((alias) => [alias["ip"] ?? "", textsAt(alias, "hostnames")]),
    nodeSelector: objectAt(spec, "nodeSelector") ?? {},
    security: objectAt(spec, "securityContext") ?? {},
    finalizers: textsAt(object, "metadata", "finalizers"),
    labels: objectAt(object, "metadata", "labels") ?? {},
  };
}

it.each(answers.map(([patch, outcome]) => [JSON.stringify(patch), patch, outcome] as const))(
  "a strategic merge patch that was recorded has the same outcome: %s",
  (_text, patch, outcome) => {
    const result = applyStrategicMergePatch(live, patch, schemaOf("", "v1", "PodTemplate") ?? {});
    expect(result.kind === "patched" ? contentOf(result.object) : [result.code, result.message]).toEqual(outcome);
  },
);
