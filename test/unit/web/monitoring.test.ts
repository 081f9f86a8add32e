import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import { createMetrics } from "../../../src/web/metrics.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const folder = resolve(import.meta.dirname, "../../../deploy/monitoring");
const operations = readFileSync(resolve(folder, "../../docs/operations.md"), "utf8");

/** Every series that a scrape can show, and those that Prometheus itself makes of histograms. */
async function knownSeries(): Promise<Set<string>> {
  const text = await createMetrics(
    {
      version: "1",
      clusters: () => [],
      repository: () => undefined,
      requestCounts: new Map(),
      queues: () => new Map(),
      leads: () => new Map(),
      credentialExpiries: () => ({ cluster: [], token: [] }),
    },
    createManualClock(),
  ).text();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gmu)];
  return new Set(
    types.flatMap(([, name = "", type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

function seriesOf(expression: string): string[] {
  return [...expression.matchAll(/\b(?:rollcall|process|nodejs)_[a-z_]+/gu)].map(([name]) => name);
}

const rules = objectsAt(parse(readFileSync(resolve(folder, "alerts.yaml"), "utf8")), "groups", 0, "rules");
const dashboard: unknown = JSON.parse(readFileSync(resolve(folder, "dashboard.json"), "utf8"));
const panels = objectsAt(dashboard, "panels");

describe("what watches the daemon", () => {
  it("asks in alerts for series that there are", async () => {
    const known = await knownSeries();
    for (const rule of rules) {
      const names = seriesOf(textAt(rule, "expr") ?? "");
      expect(names).not.toEqual([]);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
    }
  });

  it("asks in every panel of the dashboard for series that there are", async () => {
    const known = await knownSeries();
    expect(panels.length).toBeGreaterThan(10);
    for (const panel of panels) {
      const names = objectsAt(panel, "targets").flatMap((target) => seriesOf(textAt(target, "expr") ?? ""));
      expect(names).not.toEqual([]);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
    }
  });

  it("has a paragraph on each alert, and a line on each metric", async () => {
    for (const rule of rules) expect(operations).toContain(`**${textAt(rule, "alert")}**`);
    const metrics = [...(await knownSeries())].map((name) => name.replace(/_(?:bucket|sum|count)$/u, ""));
    const own = metrics.filter((name) => name.startsWith("rollcall_"));
    for (const name of own) expect(operations).toContain(`\`${name}`);
  });
});
