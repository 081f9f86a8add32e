import { describe, expect, it } from "vitest";
import { renderObjects } from "../../../../src/cli/render/render-objects.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";

const registration = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ClusterRegistration",
  metadata: {
    name: "edge-1",
    namespace: "fleet",
    labels: { "rollcall.dev/token": "edge" },
    annotations: { note: "x" },
  },
  spec: { tokenName: "edge", clientID: "uid-1", agentVersion: "0.7.1" },
  status: { decision: "Granted", clusterName: "eu-1" },
};
const report = {
  ...registration,
  kind: "ClusterReport",
  metadata: { ...registration.metadata, name: "eu-1" },
  spec: {},
};
const repository = {
  ...registration,
  kind: "Repository",
  metadata: { ...registration.metadata, name: "repo" },
  spec: {},
};
const view = { type: resourceTypes.clusterRegistration, isSingle: true, nowMs: 0 };

describe("renderObjects", () => {
  it("has the agent's version among the wide columns of a registration", () => {
    const wide = renderObjects([registration], { ...view, form: { kind: "table", isWide: true } });
    const [header = "", row] = wide.split("\n");
    expect(header.trimEnd().split(/ {2,}/u)).toContain("AGENT");
    expect(row?.slice(header.indexOf("AGENT")).trim()).toBe("0.7.1");
    expect(renderObjects([registration], { ...view, form: { kind: "table", isWide: false } })).not.toContain("0.7.1");
  });

  it("has the other columns without being asked, and writes no control character of a cell", () => {
    const refused = { ...registration, status: { ...registration.status, decision: "\u001b[2J" } };
    for (const [object, text] of [
      [registration, "Granted"],
      [refused, "\\u{1b}[2J"],
    ] as const)
      expect(renderObjects([object], { ...view, form: { kind: "table", isWide: false } })).toContain(text);
  });

  it("prints what was not asked for by its one name as the List that kubectl prints", () => {
    const text = renderObjects([registration], { ...view, isSingle: false, form: { kind: "json" } });
    const list = { apiVersion: "v1", kind: "List", metadata: { resourceVersion: "" } };
    expect(JSON.parse(text)).toEqual({ ...list, items: [registration] });
  });

  it.each([
    { object: registration, type: resourceTypes.clusterRegistration },
    { object: report, type: resourceTypes.clusterReport },
    { object: repository, type: resourceTypes.repository },
  ])("prints $object.kind with its place, labels and annotations", ({ object, type }) => {
    const { metadata, kind } = object;
    const read = (text: string): unknown => JSON.parse(text);
    expect(read(renderObjects([object], { ...view, type, form: { kind: "json" } }))).toMatchObject({ kind, metadata });
    const table = renderObjects([object], { ...view, type, form: { kind: "table", isWide: false } });
    expect(table.split("\n")[1]).toMatch(new RegExp(`^fleet +${metadata.name}( |$)`, "u"));
  });
});
