import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createMetrics } from "../../../src/web/metrics.ts";
import { giveInput } from "../../support/give-input.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const run = promisify(execFile);
const folder = resolve(import.meta.dirname, "../../../deploy/monitoring");

/** The program promtool: ROLLCALL_PROMTOOL, else the first on PATH; undefined where there is none. */
function findPromtool(): string | undefined {
  const named = process.env["ROLLCALL_PROMTOOL"];
  if (named !== undefined && named !== "") return named;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((path) => join(path, "promtool")).find((path) => existsSync(path));
}

const promtool = findPromtool() ?? "";
const title = "promtool (skipped where it is neither on PATH nor named by ROLLCALL_PROMTOOL)";

describe.skipIf(promtool === "")(title, () => {
  it("accepts the alert rules", async () => {
    const { stdout } = await run(promtool, [
      "check",
      "rules",
      "--lint=all",
      "--lint-fatal",
      join(folder, "alerts.yaml"),
    ]);
    expect(stdout).toMatch(/SUCCESS: \d+ rules found/u);
  });

  it("finds no fault in the metrics", async () => {
    const text = await createMetrics(
      {
        version: "1",
        clusters: () => [],
        repository: () => undefined,
        requestCounts: new Map([["get", 1]]),
        queues: () => new Map([["members", { waiting: 0, active: 0, done: 1, failed: 0 }]]),
        leads: () => new Map([["rollcall-hub", true]]),
        credentialExpiries: () => ({ cluster: [0], token: [0] }),
      },
      createManualClock(),
    ).text();
    const checked = run(promtool, ["check", "metrics"]);
    giveInput(checked.child.stdin, text);
    // What it reports of names makes it fail; those of Node.js are the library's.
    const said = await checked.then(
      ({ stdout, stderr }) => stdout + stderr,
      (error: unknown) => String(error),
    );
    expect(said).toContain("nodejs_");
    expect(said.split("\n").filter((line) => line.startsWith("rollcall_"))).toEqual([]);
  });
});
