import { describe, expect, it } from "vitest";
import { readSelection } from "../../../../src/embedded-hub/http/selection.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { startMemoryHub } from "../verbs/memory-hub.ts";

const { definitionOf } = await startMemoryHub();
const definition = definitionOf("v1", "ConfigMap");

function mapOf(name: string, labels?: Record<string, string>): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop", ...(labels ? { labels } : {}) } };
}

const all = [mapOf("a", { part: "x" }), mapOf("b", { part: "y" }), mapOf("c")];

describe("the selection of a list", () => {
  it.each<readonly [string, string, { readonly name?: string; readonly namespace?: string }, object]>([
    ["everything", "", {}, { chosen: "a b c", may: undefined }],
    ["a namespace", "", { namespace: "shop" }, { namespace: "shop", chosen: "a b c", may: undefined }],
    ["labels", "labelSelector=part%3Dx", {}, { chosen: "a", may: "a" }],
    ["labels that are there", "labelSelector=part", {}, { chosen: "a b", may: "a b" }],
    [
      "labels that are not",
      "labelSelector=!part",
      { namespace: "shop" },
      { namespace: "shop", chosen: "c", may: undefined },
    ],
    ["a name", "fieldSelector=metadata.name%3Db", {}, { name: "b", chosen: "b", may: undefined }],
    ["other names", "fieldSelector=metadata.name!%3Db", {}, { chosen: "a c", may: undefined }],
    ["no fields", "fieldSelector=,", {}, { chosen: "a b c", may: undefined }],
    [
      "labels and a name",
      "labelSelector=part&fieldSelector=metadata.name%3Dc",
      {},
      { name: "c", chosen: "", may: "a b" },
    ],
    ["the name of a path", "", { name: "c" }, { name: "c", chosen: "c", may: undefined }],
    ["both names", "fieldSelector=metadata.name%3Dc", { name: "c" }, { name: "c", chosen: "c", may: undefined }],
  ])("of %s", (_what, query, place, expected) => {
    const { matches, mayMatch, ...own } = readSelection(new URLSearchParams(query), { definition, ...place });
    const namesOf = (test: (object: KubeObject) => boolean) =>
      all
        .filter(test)
        .map(({ metadata }) => metadata.name)
        .join(" ");
    expect({
      ...own,
      chosen: namesOf(matches ?? (() => true)),
      may: mayMatch && namesOf((object) => mayMatch(Buffer.from(JSON.stringify(object)))),
    }).toEqual(expected);
  });

  it("refuses another name than that of the path", () => {
    const read = () => readSelection(new URLSearchParams("fieldSelector=metadata.name%3Db"), { definition, name: "c" });
    expect(read).toThrow("fieldSelector metadata.name doesn't match requested name");
  });
});
