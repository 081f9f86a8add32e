import { expect, it } from "vitest";
import type { FleetReport } from "../../../src/manifests/fleet-document.ts";
import { fleetDocuments } from "../../../src/manifests/fleet-document.ts";
import { reportPlace } from "../../../src/manifests/foreign-findings.ts";
import type { SchemaFinding } from "../../../src/manifests/schema-finding.ts";
import { documentText, parseText } from "./read-text.ts";

it.each([
  { path: ["spec", "taints", 0, "key"], where: "spec.taints[0].key", at: ["spec", "taints", 0, "key"] },
  { path: ["spec", "taints", 0, "value"], where: "spec.taints[0].value", at: ["spec", "taints", 0] },
  { path: ["spec", "protocol"], where: "spec.protocol", at: ["spec"] },
  { path: ["spec", "paused"], where: "spec.paused", at: ["spec", "paused"] },
])("reports $where at what is there of it", ({ path, where, at }) => {
  const found: SchemaFinding[] = [];
  const add: FleetReport["add"] = (_subject, finding) => found.push(finding);
  const report = { add } as FleetReport;
  const text = documentText("Cluster", "a", "taints: [{key: k, effect: NoExecute}]", "paused: false");
  for (const subject of fleetDocuments([parseText(text)], "fleet")) {
    reportPlace(subject, report, { path, what: "is wrong", fix: "Mend it." });
  }
  expect(found).toEqual([
    { code: "E_SCHEMA", path: at, part: "value", message: `${where}: is wrong`, fix: "Mend it." },
  ]);
});
