import { access, constants, stat } from "node:fs/promises";
import { totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { resolve } from "node:path";
import process from "node:process";
import { AppError } from "../core/errors.ts";
import { version } from "../core/version.ts";
import type { ResolveImage } from "../embedded-node/node-types.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";
import type { RepositorySpec } from "../model/generated/repository.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { ForeignProtocol, ForeignProtocolName } from "../daemon/foreign-protocols.ts";
import { foreignProtocols } from "../daemon/foreign-protocols.ts";
import { agentDemos } from "./agent-demos.ts";
import type { Settings } from "../settings/settings.ts";

/** The image name that this machine's nodes run this program for. */
export const ownAgentImage = "rollcall";

/** Whose agents a demo runs. */
export interface UpPlan {
  readonly protocol: ProtocolName;
  readonly foreign?: ForeignProtocol & { readonly name: ForeignProtocolName };
  /** Namespaces that people write to before a file names them. */
  readonly workspaces: readonly string[];
  /** Of the Repository, where they are not the defaults. */
  readonly repositorySpec: Pick<RepositorySpec, "defaultWorkspace" | "onHubObjects">;
  /** Fields of the spec in the file of a further cluster besides name and kubeconfig. */
  readonly clusterSpec: Readonly<Record<string, unknown>>;
  readonly clusterObjects: readonly KubeObject[];
  /** What the node of a cluster runs; `homeDir` is a folder of that cluster alone. */
  readonly resolveImage: (homeDir: string) => ResolveImage;
}

/** An agent is a process of its own; with its cluster it takes about so much. */
const clusterBytes = 60 * 2 ** 20;

/** The namespace that the documents of other projects write to. */
const documentedWorkspace = "clusters";
/** An entry without kinds leaves out those that belong to the default workspace. */
const committedObjects: RepositorySpec["onHubObjects"] = [
  { kinds: ["MemberCluster", "ManagedCluster"], policy: "Commit" },
  { policy: "Commit" },
];

/**
 * Reads `--protocol`, `--agent-binary` and `--clusters`. Who follows another project's documents writes objects by kubectl: such
 * a demo commits them as files. Without clusters it needs no program.
 * @throws E_USAGE when only one of them makes sense, when the program cannot be run, or when so many clusters do not fit into the
 * memory of this machine
 */
export async function readUpPlan(settings: Settings, memoryBytes = totalmem()): Promise<UpPlan> {
  refuseTooMany(settings.count("clusters"), memoryBytes);
  const protocol = settings.text("protocol") ?? "rollcall";
  const binary = settings.text("agent-binary");
  const entry = [...foreignProtocols].find(([name]) => name === protocol);
  if (entry === undefined) {
    if (binary !== undefined) throw new AppError("E_USAGE", "--agent-binary requires --protocol of another project");
    return {
      protocol: "rollcall",
      workspaces: [],
      repositorySpec: {},
      clusterSpec: {},
      clusterObjects: [],
      resolveImage: () => ownImage,
    };
  }
  const [name, foreign] = entry;
  const demo = agentDemos[name];
  const binaryPath = binary === undefined ? undefined : await findProgram(binary);
  if (binaryPath === undefined && settings.count("clusters") > 0) {
    const text = `--protocol ${name} needs --agent-binary, its agent's program; or --clusters 0, to start the hub alone`;
    throw new AppError("E_USAGE", text);
  }
  return {
    protocol: name,
    foreign: { ...foreign, name },
    workspaces: [documentedWorkspace],
    repositorySpec: { defaultWorkspace: documentedWorkspace, onHubObjects: committedObjects },
    clusterSpec: { protocol: name, ...demo.clusterSpec },
    clusterObjects: demo.clusterObjects ?? [],
    resolveImage: (homeDir) =>
      binaryPath === undefined ? () => undefined : demo.resolveImage({ binaryPath, homeDir }),
  };
}

function refuseTooMany(clusters: number, memoryBytes: number): void {
  const most = Math.floor(memoryBytes / clusterBytes);
  if (clusters <= most) return;
  throw new AppError(
    "E_USAGE",
    `--clusters ${clusters} does not fit into the memory of this machine: a cluster with its agent takes about 60 MiB, so ${most} is the most`,
  );
}

async function findProgram(binary: string): Promise<string> {
  const path = resolve(binary);
  const refuse = (cause?: unknown): never => {
    throw new AppError("E_USAGE", `--agent-binary ${binary} is no program that can be run`, { cause });
  };
  await access(path, constants.X_OK).catch(refuse);
  // The same right lets a user enter a folder.
  if ((await stat(path)).isDirectory()) refuse();
  return path;
}

/** Other versions are not on this machine: they fail to be pulled, as they would elsewhere. */
const ownImage: ResolveImage = (image) =>
  image === ownAgentImage || image === `${ownAgentImage}:${version}`
    ? { command: process.execPath, args: [fileURLToPath(new URL("../bin/rollcall.js", import.meta.url))], env: {} }
    : undefined;
