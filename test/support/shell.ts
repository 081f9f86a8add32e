import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { findHelm } from "./helm.ts";
import { runInOneStream } from "./run-in-one-stream.ts";
import type { OneStreamRun } from "./run-in-one-stream.ts";

/** The folder of kubectl: that of KUBEBUILDER_ASSETS, else the first of PATH; undefined where there is none. */
export const kubectlFolder = [
  process.env["KUBEBUILDER_ASSETS"] ?? "",
  ...(process.env["PATH"] ?? "").split(delimiter),
].find((folder) => folder !== "" && existsSync(join(folder, "kubectl")));

/** Such as `1.34`, of the kubectl that is typed with; undefined where there is none. */
export function kubectlVersion(): string | undefined {
  if (kubectlFolder === undefined) return undefined;
  const args = ["version", "--client", "--output=json"];
  const text = execFileSync(join(kubectlFolder, "kubectl"), args, { encoding: "utf8" });
  return /"gitVersion": *"v(\d+\.\d+)\./u.exec(text)?.[1];
}

/** Types lines into a shell that has kubectl, helm and these variables. HOME is the folder. */
export async function typeIntoShell(
  text: string,
  options: {
    readonly cwd: string;
    readonly kubeconfig: string;
    /** Folders before all others: programs that replace those of a cloud. */
    readonly programs?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
  },
): Promise<OneStreamRun> {
  const helm = findHelm();
  const folders = [
    ...(options.programs ?? []),
    kubectlFolder ?? "",
    ...(helm === undefined ? [] : [join(helm, "..")]),
    process.env["PATH"] ?? "",
  ];
  return runInOneStream("bash", ["--norc", "--noprofile", "-o", "pipefail", "-c", text], {
    cwd: options.cwd,
    env: { ...options.environment, PATH: folders.join(delimiter), HOME: options.cwd, KUBECONFIG: options.kubeconfig },
  });
}
