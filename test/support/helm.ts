import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../src/model/kubernetes.ts";

const charts = resolve(import.meta.dirname, "../../deploy/charts");
const run = promisify(execFile);

/** The program helm: ROLLCALL_HELM, else the first on PATH; undefined where there is none. */
export function findHelm(): string | undefined {
  const named = process.env["ROLLCALL_HELM"];
  if (named !== undefined && named !== "") return named;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, "helm")).find((path) => existsSync(path));
}

export const noHelmReason = "helm is neither on PATH nor named by ROLLCALL_HELM";

export type ChartName = "rollcall" | "rollcall-agent";

export interface Release {
  readonly chart: ChartName;
  readonly namespace: string;
  /** File of values, JSON or YAML. */
  readonly valuesFile: string;
  /** Version of Kubernetes that the chart is rendered for. Default: 1.34.0. */
  readonly kubeVersion?: string;
}

/** The objects that the chart renders. Rejects with helm's message. */
export async function renderChart({
  chart,
  namespace,
  valuesFile,
  kubeVersion = "1.34.0",
}: Release): Promise<KubeObject[]> {
  const args = ["template", "rollcall", join(charts, chart), "--namespace", namespace, "--values", valuesFile];
  const text = await runHelm([...args, "--kube-version", kubeVersion]);
  const found: unknown[] = parseAllDocuments(text).map((document) => {
    const value: unknown = document.toJS();
    return value;
  });
  return found.filter((object): object is KubeObject => object !== null);
}

export async function lintChart(chart: ChartName, valuesFile: string): Promise<string> {
  return runHelm(["lint", "--strict", join(charts, chart), "--values", valuesFile, "--kube-version", "1.34.0"]);
}

/** Runs helm; rejects with what it printed. */
export async function runHelm(args: readonly string[]): Promise<string> {
  const { stdout } = await run(findHelm() ?? "helm", [...args], { maxBuffer: 64 << 20 });
  return stdout;
}

export function chartFolder(chart: ChartName): string {
  return join(charts, chart);
}
