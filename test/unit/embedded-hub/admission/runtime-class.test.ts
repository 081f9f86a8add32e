import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { objectAt } from "../../../../src/core/read-json.ts";
import { refusalOf, startHubWorld } from "../controllers/hub-world.ts";

const ofHub = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
];
const toleration = { key: "a", operator: "Equal", value: "b", effect: "NoExecute" };
const seconds = (tolerationSeconds: number): JsonObject => ({ ...toleration, tolerationSeconds });

/** The spec of a new Pod of a class, or why it is refused. */
async function madeOf(content: JsonObject, spec: JsonObject): Promise<JsonObject | string | undefined> {
  const { create } = await startHubWorld();
  const kind = { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name: "gvisor" } };
  await create({ ...kind, handler: "runsc", ...content });
  const containers = [{ name: "main", image: "shop:1" }];
  const metadata = { name: "p", namespace: "shop" };
  const pod = { apiVersion: "v1", kind: "Pod", metadata, spec: { containers, runtimeClassName: "gvisor", ...spec } };
  const made = create(pod);
  return made.then(
    (object) => objectAt(object, "spec") ?? {},
    () => refusalOf(made),
  );
}

describe("a new Pod of a RuntimeClass", () => {
  it.each<{ name: string; content: JsonObject; spec: JsonObject; expected: JsonObject }>([
    { name: "as it is", content: {}, spec: {}, expected: { runtimeClassName: "gvisor", tolerations: ofHub } },
    {
      name: "its overhead",
      content: { overhead: { podFixed: { cpu: "250m" } } },
      spec: {},
      expected: { overhead: { cpu: "250m" } },
    },
    {
      name: "an overhead that is equal to its own",
      content: { overhead: { podFixed: { memory: "1Ki" } } },
      spec: { overhead: { memory: "1024" } },
      expected: { overhead: { memory: "1Ki" } },
    },
    {
      name: "its labels of Nodes, besides those of the Pod",
      content: { scheduling: { nodeSelector: { a: "b" } } },
      spec: { nodeSelector: { a: "b", c: "d" } },
      expected: { nodeSelector: { a: "b", c: "d" } },
    },
    {
      name: "its tolerations, after those of the Pod",
      content: { scheduling: { tolerations: [toleration] } },
      spec: { tolerations: [{ ...toleration, value: "c" }] },
      expected: { tolerations: [{ ...toleration, value: "c" }, ...ofHub, toleration] },
    },
    {
      name: "one of two equal tolerations",
      content: { scheduling: { tolerations: [toleration] } },
      spec: { tolerations: [toleration] },
      expected: { tolerations: [toleration, ...ofHub] },
    },
    {
      name: "the toleration that covers others",
      content: { scheduling: { tolerations: [{ operator: "Exists" }] } },
      spec: { tolerations: [toleration] },
      expected: { tolerations: [{ operator: "Exists" }] },
    },
    {
      name: "the toleration that lasts longer",
      content: { scheduling: { tolerations: [seconds(1)] } },
      spec: { tolerations: [seconds(2)] },
      expected: { tolerations: [seconds(2), ...ofHub] },
    },
    {
      name: "the toleration that does not end",
      content: { scheduling: { tolerations: [toleration] } },
      spec: { tolerations: [seconds(2)] },
      expected: { tolerations: [...ofHub, toleration] },
    },
    {
      name: "tolerations of each effect",
      content: { scheduling: { tolerations: [{ ...toleration, effect: "NoSchedule" }] } },
      spec: { tolerations: [toleration] },
      expected: { tolerations: [toleration, ...ofHub, { ...toleration, effect: "NoSchedule" }] },
    },
  ])("gets $name", async ({ content, spec, expected }) => {
    expect(await madeOf(content, spec)).toMatchObject(expected);
  });

  it.each<{ name: string; content: JsonObject; spec: JsonObject; refusal: string }>([
    {
      name: "another overhead",
      content: { overhead: { podFixed: { cpu: "1" } } },
      spec: { overhead: { cpu: "2" } },
      refusal: "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    },
    {
      name: "an overhead that the class has not",
      content: {},
      spec: { overhead: { cpu: "2" } },
      refusal: "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    },
    {
      name: "other Nodes",
      content: { scheduling: { nodeSelector: { a: "b" } } },
      spec: { nodeSelector: { a: "c" } },
      refusal: "conflict: runtimeClass.scheduling.nodeSelector[a] = b; pod.spec.nodeSelector[a] = c",
    },
    {
      name: "more tolerations than can be compared",
      content: { scheduling: { tolerations: [toleration] } },
      spec: { tolerations: Array.from({ length: 998 }, (_, index) => ({ key: `a${index}`, operator: "Exists" })) },
      refusal: "a Pod and its RuntimeClass have at most 1000 tolerations",
    },
  ])("is refused with $name", async ({ content, spec, refusal }) => {
    expect(await madeOf(content, spec)).toBe(`pods "p" is forbidden: ${refusal}`);
  });

  it("has Nodes by labels with names of the language", async () => {
    const content = { scheduling: { nodeSelector: { constructor: "b" } } };
    expect(await madeOf(content, {})).toMatchObject({ nodeSelector: { constructor: "b" } });
  });
});
