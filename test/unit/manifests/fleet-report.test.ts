import { describe, expect, it } from "vitest";
import { maxProblems } from "../../../src/manifests/bound-problems.ts";
import type { FleetDocument } from "../../../src/manifests/fleet-document.ts";
import { createFleetReport, fleetDocuments } from "../../../src/manifests/fleet-document.ts";
import { maxLocatedLength } from "../../../src/manifests/locate-value.ts";
import type { ParsedFile } from "../../../src/model/source.ts";
import { documentText, parseText } from "./read-text.ts";

const text = `---\n${documentText("Cluster", "a", "displayName: A")}---\n${documentText("Cluster", "b", "displayName: B")}`;
const file = parseText(text, "a.yaml");
const place = { path: ["spec", "displayName"], part: "value" } as const;

function clusterOf(parsed: ParsedFile, name: string): FleetDocument {
  const found = fleetDocuments([parsed], "fleet").find(({ object }) => object.metadata.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

describe("createFleetReport", () => {
  it("refuses the document of an error, at the place of it", () => {
    const report = createFleetReport([file]);
    const [a, b] = [clusterOf(file, "a"), clusterOf(file, "b")];
    report.add(b, { code: "E_SCHEMA", ...place, message: "m", fix: "Mend it." });
    report.add(a, { code: "W_POLICY", severity: "warning", path: ["metadata", "name"], part: "key", message: "n" });
    expect(report.problems).toEqual([
      {
        code: "E_SCHEMA",
        severity: "error",
        file: "a.yaml",
        line: 14,
        column: 16,
        message: "m",
        fix: "Mend it.",
        object: "Cluster/fleet/b",
      },
      {
        code: "W_POLICY",
        severity: "warning",
        file: "a.yaml",
        line: 5,
        column: 3,
        message: "n",
        object: "Cluster/fleet/a",
      },
    ]);
    expect(report.problems[1]).not.toHaveProperty("fix");
    expect([report.isRefused(a), report.isRefused(b)]).toEqual([false, true]);
  });

  it.each([
    { reason: "has other content now", files: [{ ...file, blobId: "other" }] },
    { reason: "is not there any more", files: [] },
    { reason: "is another one", files: [{ ...file, path: "b.yaml" }] },
  ])("gives the place of the document when its file $reason", ({ files }) => {
    const report = createFleetReport(files);
    expect(report.positionOf(clusterOf(file, "b"), place)).toEqual({ file: "a.yaml", line: 9, column: 1 });
  });

  it("A16 finds twice as many places as problems are kept, then those of documents", () => {
    const report = createFleetReport([file]);
    const subject = clusterOf(file, "a");
    for (let count = 0; count < 2 * maxProblems; count++) expect(report.positionOf(subject, place).line).toBe(7);
    expect(report.positionOf(subject, place).line).toBe(2);
  });

  it("A16 reads files a second time up to a length, then gives the places of documents", () => {
    const padded = `${text}# `.padEnd(maxLocatedLength / 8 - 1, "c");
    const files = Array.from({ length: 9 }, (_, index) => parseText(`${padded}\n`, `${index}.yaml`));
    const report = createFleetReport(files);
    const linesOf = (name: string) => files.map((one) => report.positionOf(clusterOf(one, name), place).line);
    expect(linesOf("a")).toEqual([7, 7, 7, 7, 7, 7, 7, 7, 2]);
    expect(linesOf("b")).toEqual([14, 14, 14, 14, 14, 14, 14, 14, 9]);
  });

  it("A16 reads each file once", () => {
    let reads = 0;
    const counted = {
      ...file,
      get text() {
        reads += 1;
        return text;
      },
    };
    const report = createFleetReport([counted]);
    report.positionOf(clusterOf(file, "a"), place);
    const readsOfOnePlace = reads;
    report.positionOf(clusterOf(file, "b"), place);
    expect(reads).toBe(readsOfOnePlace);
  });
});

describe("fleetDocuments", () => {
  it("leaves out what has no part in the fleet", () => {
    const [document] = file.documents;
    if (document === undefined) throw new Error("no document");
    const other = { ...document, object: { ...document.object, apiVersion: "apps/v1", kind: "Deployment" } };
    const documents = fleetDocuments([{ documents: [other, document, other] }], "fleet");
    expect(documents.map(({ object }) => object.kind)).toEqual(["Cluster"]);
  });

  it("takes a Secret for one of the default workspace, and for no other project's", () => {
    const object = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
    const [document] = file.documents;
    if (document === undefined) throw new Error("no document");
    expect(fleetDocuments([{ documents: [{ ...document, object }] }], "fleet")).toMatchObject([
      { role: "Secret", isForeign: false, workspace: "fleet" },
    ]);
  });
});
