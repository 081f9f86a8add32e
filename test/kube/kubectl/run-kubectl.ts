import { join } from "node:path";
import process from "node:process";
import { runInOneStream } from "../../support/run-in-one-stream.ts";

export interface KubectlRun {
  readonly code: number;
  /** Both streams, in the order in which they were written. */
  readonly text: string;
}

/** Runs the kubectl of KUBEBUILDER_ASSETS to its end. */
export async function runKubectl(
  kubeconfigPath: string,
  args: readonly string[],
  { home, input }: { readonly input?: string; readonly home: string },
): Promise<KubectlRun> {
  const program = join(process.env["KUBEBUILDER_ASSETS"] ?? "", "kubectl");
  const { code, output } = await runInOneStream(program, ["--kubeconfig", kubeconfigPath, ...args], {
    env: { HOME: home, PATH: process.env["PATH"] },
    input,
  });
  return { code: code ?? -1, text: output };
}

/** What differs between two hubs that do the same: uids, times, versions, generated names, keys. */
export function normalizeOutput(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu, "<uid>")
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| [+-]\d{4}(?: UTC)?)?/gu, "<time>")
    .replace(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/gu, "<time>")
    .replace(/(resourceVersion"?: )"\d+"/gu, "$1<version>")
    .replace(/(Resource Version: +)\d+/gu, "$1<version>")
    .replace(/X509SHA256=[0-9a-f]+/gu, "X509SHA256=<hash>")
    .replace(/eyJ[\w.-]+/gu, "<token>")
    .replace(/127\.0\.0\.1:\d+/gu, "<address>")
    .replace(/\b10\.\d+\.\d+\.\d+\b/gu, "<ip>")
    .replace(/\/tmp\/(LIVE|MERGED)-\d+/gu, "/tmp/$1")
    .replace(/\b(?:\d+m)?\d+s\b/gu, "<age>")
    .replace(/kube-api-access-[0-9a-z]{5}\b/gu, "kube-api-access-<random>")
    .replace(/web-[0-9a-z]{8,10}\b/gu, "web-<hash>")
    .replace(/pod-template-hash=[0-9a-z]+/gu, "pod-template-hash=<hash>")
    .replace(/^[EW]\d{4} .*$/gmu, "<log>")
    .replace(/ +/gu, " ")
    .replace(/ $/gmu, "");
}
