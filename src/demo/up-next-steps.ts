import { join, relative } from "node:path";
import process from "node:process";
import type { Cluster } from "../model/generated/cluster.ts";

/** What to try, once the fleet runs. */
export function describeNextSteps(options: {
  readonly dir: string;
  readonly kubeconfigPath: string;
  readonly clusters: readonly Cluster[];
  readonly hasWorkTree: boolean;
  readonly pageUrl: string;
}): string {
  const { dir, clusters, hasWorkTree, pageUrl } = options;
  const kubeconfig = shown(options.kubeconfigPath);
  const [first] = clusters;
  const name = first?.metadata.name ?? "eu-1";
  const lines = [
    `Every cluster is Ready. Open ${pageUrl}, or try in another terminal:`,
    "",
    `  kubectl --kubeconfig ${kubeconfig} get clusters.rollcall.dev -A`,
    `  npx rollcall status --kubeconfig ${kubeconfig}`,
    `  npx rollcall status ${name} --kubeconfig ${kubeconfig}`,
  ];
  if (hasWorkTree) {
    const fleet = shown(join(dir, "fleet"));
    lines.push(
      "",
      `  cd ${fleet}            # the fleet: edit a label of a cluster, then`,
      "  git commit -am 'Change a label' && git push",
      "  git fetch && git log origin/rollcall/status        # what is seen, written back",
    );
  }
  lines.push("", `Ctrl-C stops everything; \`rollcall up\` continues. Logs: ${shown(join(dir, "rollcall.log"))}`);
  return lines.join("\n");
}

function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short === "" || short.startsWith("..") ? path : short;
}
