import { basename, join, relative } from "node:path";
import process from "node:process";
import { shellWord } from "../core/shell-word.ts";
import type { Cluster } from "../model/generated/cluster.ts";

/** What to try, once the fleet runs. */
export function describeNextSteps(options: {
  readonly dir: string;
  readonly kubeconfigPath: string;
  readonly clusters: readonly Cluster[];
  readonly hasWorkTree: boolean;
  readonly pageUrl: string;
  /** Namespaces where an object that kubectl creates becomes a file. */
  readonly committed: readonly string[];
}): string {
  const { dir, clusters, hasWorkTree, pageUrl } = options;
  const kubeconfig = shellWord(shown(options.kubeconfigPath));
  const command = ownCommand(process.argv[1] ?? "");
  const [first] = clusters;
  const lines = [
    `${first ? "Every cluster is Ready" : "The hub is ready, without a cluster"}. Open ${pageUrl}, or try in another terminal:`,
    "",
    `  kubectl --kubeconfig ${kubeconfig} get clusters.rollcall.dev -A`,
    `  ${command} status --kubeconfig ${kubeconfig}`,
    ...(first ? [`  ${command} status ${first.metadata.name} --kubeconfig ${kubeconfig}`] : []),
  ];
  if (hasWorkTree) {
    const git = `git -C ${shellWord(shown(join(dir, "fleet")))}`;
    lines.push(
      "",
      ...(first
        ? [`  ${git} commit -am 'Change a label' && ${git} push   # after you changed a label of a cluster there`]
        : []),
      `  ${git} fetch && ${git} log origin/rollcall/status   # the status, written back`,
    );
  }
  if (options.committed.length > 0) {
    const places = options.committed.join(", ");
    lines.push("", `What kubectl creates in ${places} becomes a file of the repository, and is served.`);
  }
  lines.push("", `Ctrl-C stops everything; \`${resumeCommand()}\` resumes. Logs: ${shown(join(dir, "rollcall.log"))}`);
  return lines.join("\n");
}

/** Which clusters run, and why fewer than `wanted`, the number that the user gave; 0: none was given. */
export function describeRunning(names: readonly string[], wanted: number): readonly string[] {
  const running = `clusters    ${names.length === 0 ? "none" : `${names.length} running: ${names.join(", ")}`}`;
  if (names.length >= wanted) return [running];
  return [
    running,
    `            --clusters ${wanted}: the repository declares no more of them; add files, and start again`,
  ];
}

/** What a person types to go on with the fleet that this process runs. */
export function resumeCommand([, program = "", ...args]: readonly string[] = process.argv): string {
  return [ownCommand(program), "up", ...sameFleet(args)].join(" ");
}

/** The arguments that choose which fleet `up` starts, as they were typed. The others are for one start, or are remembered. */
function sameFleet(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const [name = "", value] = argument.split("=", 2);
    if (!fleetOptions.has(name)) return [];
    const typed = value === undefined ? [argument, args[index + 1] ?? ""] : [argument];
    return typed.map(shellWord);
  });
}

const fleetOptions: ReadonlySet<string> = new Set(["--dir", "--clusters", "--protocol", "--agent-binary"]);

/** What a person types to run this program: by its name where it is installed, else by its file, as seen from here. */
function ownCommand(program: string): string {
  return basename(program) === "rollcall" ? "rollcall" : `node ${shellWord(shown(program))}`;
}

function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short === "" || short.startsWith("..") ? path : short;
}
