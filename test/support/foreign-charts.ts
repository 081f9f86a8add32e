import { existsSync } from "node:fs";
import { join } from "node:path";
import { findHelm, noHelmReason } from "./helm.ts";
import { kubectlFolder } from "./shell.ts";

/** The folders of the charts of other projects' agents, where they are on the machine: they are no part of this repository. */
export const foreignCharts = {
  fleet: process.env["ROLLCALL_FLEET_CHART"],
  kubefleet: process.env["ROLLCALL_KUBEFLEET_CHART"],
} as const;

/** Why a test of such a chart and its agent is skipped; undefined: it runs. */
export function whyNoForeignChart(project: keyof typeof foreignCharts, agent: string | undefined): string | undefined {
  const name = project.toUpperCase();
  const chart = foreignCharts[project];
  if (chart === undefined) return `ROLLCALL_${name}_CHART does not name the folder of the agent's chart`;
  if (!existsSync(join(chart, "Chart.yaml"))) return `ROLLCALL_${name}_CHART names no chart: ${chart}`;
  if (agent === undefined) return `ROLLCALL_${name}_AGENT does not name the agent's program`;
  if (findHelm() === undefined) return noHelmReason;
  return kubectlFolder === undefined ? "there is no kubectl" : undefined;
}
