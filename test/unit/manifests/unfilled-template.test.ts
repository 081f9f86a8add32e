import { describe, expect, it } from "vitest";
import { maxProblemsPerFile } from "../../../src/manifests/parse-file.ts";
import { findTemplates, withTemplates } from "../../../src/manifests/unfilled-template.ts";
import type { SchemaFinding } from "../../../src/manifests/schema-finding.ts";
import type { Json } from "../../../src/core/json.ts";

const found = (spec: Json): string[] => findTemplates({ spec }).map(({ path }) => path.join("."));

describe("findTemplates: a value that was not filled in", () => {
  it.each(["{{ .Values.name }}", "a-{{x}}-b", "${NAME}", "a${x}b", "$NAME", "a$N", "<name>", "<the name\nof it>"])(
    "%j is one",
    (text) => {
      expect(found({ name: text })).toEqual(["spec.name"]);
    },
  );

  it.each(["{{", "}} {{", "${", "} ${", "$name", "$(NAME)", "<>", "<a>b", "a<b>", "<a><b>", "plain", "a}}b"])(
    "%j is none",
    (text) => {
      expect(found({ name: text })).toEqual([]);
    },
  );

  it("is found in lists and maps, in the name and among the labels", () => {
    expect(found({ list: ["a", { deep: "${X}" }] })).toEqual(["spec.list.1.deep"]);
    expect(
      findTemplates({ metadata: { name: "${X}", labels: { value: "${Y}" } } }).map(({ path }) => path.join(".")),
    ).toEqual(["metadata.name", "metadata.labels.value"]);
    expect(findTemplates({ status: { name: "${X}" } })).toEqual([]);
  });

  it("is none where a text may have any form", () => {
    expect(found({ env: "${X}", templateValues: { a: "{{ x }}" }, agentEnvVars: ["$X"], value: "<x>" })).toEqual([]);
    expect(findTemplates({ metadata: { annotations: { a: "${X}" } } })).toEqual([]);
    expect(found({ matchLabels: { env: "${X}" } })).toEqual(["spec.matchLabels.env"]);
  });

  it("A240 costs no more than the text is long, however many are below long keys", () => {
    let spec: Json = Array.from({ length: 3000 }, () => "{{}}");
    for (let depth = 0; depth < 60; depth += 1) spec = { ["k".repeat(900)]: spec };
    const findings = findTemplates({ spec: { spec } });
    const sizeOf = (value: unknown): number => JSON.stringify(value).length;
    expect(findings.length).toBeGreaterThanOrEqual(maxProblemsPerFile);
    expect(sizeOf(findings.map(({ message }) => message))).toBeLessThan(10 * sizeOf(spec));
    expect(sizeOf(findings)).toBeLessThan(200 * sizeOf(spec));
  });

  it("takes the place of other findings about the same value alone", () => {
    const finding = (path: readonly (string | number)[], message: string): SchemaFinding => ({
      code: "E_SCHEMA",
      path,
      part: "value",
      message,
    });
    const [kept, dropped, template] = [
      finding(["spec", "a"], "k"),
      finding(["spec", 0], "d"),
      finding(["spec", "0"], "t"),
    ];
    expect(withTemplates([kept, dropped], [template])).toEqual([kept, template]);
    expect(withTemplates([kept], [])).toEqual([kept]);
  });
});
