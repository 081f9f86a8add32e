import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import {
  validateRuntimeClass,
  warnOfRuntimeClass,
} from "../../../../src/embedded-hub/validation/validate-runtime-class.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { problemsOf } from "./validation-builders.ts";

function made(content: JsonObject): KubeObject {
  return { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name: "a" }, handler: "a", ...content };
}
const amounts = (podFixed: JsonObject): JsonObject => ({ overhead: { podFixed } });
const tolerating = (...tolerations: readonly Json[]): JsonObject => ({ scheduling: { tolerations } });
const toleration = { key: "a", operator: "Equal", value: "b", effect: "NoExecute" };

describe("validateRuntimeClass", () => {
  it.each<{ content: JsonObject; problems: readonly string[] }>([
    { content: {}, problems: [] },
    { content: { handler: "" }, problems: ["Invalid handler"] },
    { content: { handler: "a.b" }, problems: ["Invalid handler"] },
    { content: amounts({ cpu: "1" }), problems: [] },
    { content: amounts({ cpu: "-1" }), problems: ["Invalid overhead.limits[cpu]"] },
    { content: { overhead: {} }, problems: [] },
    { content: { scheduling: { nodeSelector: { a: "b" } } }, problems: [] },
    { content: { scheduling: { nodeSelector: { a: "b c" } } }, problems: ["Invalid scheduling.nodeSelector"] },
    { content: tolerating(toleration, { ...toleration, effect: "NoSchedule" }), problems: [] },
    {
      content: tolerating({ ...toleration, effect: "Odd" }),
      problems: ["NotSupported scheduling.tolerations.tolerations[0].effect"],
    },
    {
      content: tolerating(toleration, { ...toleration, tolerationSeconds: 1 }),
      problems: ["Duplicate scheduling.tolerations[1]"],
    },
  ])("finds $problems in $content", ({ content, problems }) => {
    expect(problemsOf(validateRuntimeClass(made(content), undefined))).toEqual(problems);
  });

  it("keeps its handler", () => {
    expect(problemsOf(validateRuntimeClass(made({ handler: "b" }), made({})))).toEqual(["Invalid handler"]);
  });

  it("warns of labels that Nodes had before", () => {
    const nodeSelector = { "beta.kubernetes.io/os": "linux", "kubernetes.io/os": "linux" };
    expect(warnOfRuntimeClass(made({ scheduling: { nodeSelector } }))).toEqual([
      'scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead',
    ]);
  });
});
