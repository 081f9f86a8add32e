import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { readYaml } from "../../manifests/read-yaml.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { PlainContext } from "./command-context.ts";
import type { DeclaredCluster, DeclaredDocument } from "../../work-tree/declared-documents.ts";
import {
  clustersCalled,
  declaredClusters,
  documentsOf,
  readDeclaredDocuments,
} from "../../work-tree/declared-documents.ts";
import { checkName } from "./read-labels.ts";

/**
 * `rollcall remove cluster NAME`: deletes its file from a work tree, with the file of its kubeconfig when no other
 * cluster names that, and prints the effect of the next push. The hub is not changed.
 * @throws E_USAGE when no file declares it, several do, or its file must be edited manually
 */
export async function runRemoveCluster({ settings, args, stdout }: PlainContext): Promise<number> {
  const dir = settings.requiredText("dir");
  const declared = readDeclaredDocuments(dir);
  const clusters = declaredClusters(declared);
  const found = findCluster(clusters, args[0] ?? "", settings.text("workspace"));
  const { file, cluster } = found;
  if (cluster.spec?.deletionProtection === true) {
    const remedy = "set deletionProtection to false, push, and let it be applied first";
    throw new AppError("E_USAGE", `${file.path} protects the cluster: ${remedy}`);
  }
  refuseSharedFile(found, declared);
  const secretFile = ownSecretFile(found, clusters, declared);
  const paths = [file.path, ...(secretFile === undefined || secretFile === file.path ? [] : [secretFile])];
  for (const path of paths) await rm(join(dir, path));
  stdout.write(`${paths.map((path) => `deleted ${join(dir, path)}`).join("\n")}\n${describeOffboarding(cluster)}`);
  return 0;
}

/** The one that a person means by `name` or `workspace/name`. */
function findCluster(
  clusters: readonly DeclaredCluster[],
  given: string,
  workspaceOption: string | undefined,
): DeclaredCluster {
  const slash = given.indexOf("/");
  const workspace = slash < 0 ? workspaceOption : checkName(given.slice(0, slash), "the workspace's name");
  const name = checkName(given.slice(slash + 1), "the cluster's name");
  if (workspaceOption !== undefined && workspace !== workspaceOption)
    throw new AppError("E_USAGE", `${given} is not in the workspace of --workspace, ${workspaceOption}`);
  const found = clustersCalled(clusters, name, workspace);
  const [first, second] = found;
  if (!first) {
    const near = nearestName(
      name,
      clusters.map(({ cluster }) => cluster.metadata.name),
    );
    const hint = near === undefined || near === name ? "see rollcall validate" : `did you mean ${near}?`;
    throw new AppError("E_USAGE", `no valid file declares Cluster ${given}: ${hint}`);
  }
  if (second) {
    const places = found.map(({ file, cluster }) => `${cluster.metadata.namespace ?? "-"} in ${file.path}`);
    throw new AppError("E_USAGE", `more than one Cluster is called ${name}: give --workspace (${places.join(", ")})`);
  }
  return first;
}

/** Deleting a file deletes all that it declares, also what could not be read of it. */
function refuseSharedFile({ file, document, cluster }: DeclaredCluster, declared: readonly DeclaredDocument[]): void {
  const others = declared.filter((other) => other.file.path === file.path && other.document.index !== document.index);
  const ownSecret = cluster.spec?.kubeConfigSecretRef?.name;
  const foreign = others.find(({ document: { object } }) => {
    return object.kind !== "Secret" || object.metadata.name !== ownSecret;
  });
  const isAllOurs = readYaml(file.text).documents.length === others.length + 1;
  if (!foreign && isAllOurs) return;
  const { line } = document.position;
  throw new AppError("E_USAGE", `${file.path} declares more than this cluster: delete its document, at line ${line}`);
}

function ownSecretFile(
  { document, cluster }: DeclaredCluster,
  clusters: readonly DeclaredCluster[],
  declared: readonly DeclaredDocument[],
): string | undefined {
  const name = cluster.spec?.kubeConfigSecretRef?.name;
  if (name === undefined) return undefined;
  const { namespace } = cluster.metadata;
  const isNamedAgain = clusters.some(
    (other) => other.document !== document && other.cluster.spec?.kubeConfigSecretRef?.name === name,
  );
  const [secret, another] = documentsOf(declared, "Secret", name, namespace);
  if (!secret || another || isNamedAgain) return undefined;
  const isAlone = declared.filter(({ file }) => file.path === secret.file.path).length === 1;
  return isAlone ? secret.file.path : undefined;
}

function describeOffboarding({ metadata, spec = {} }: Cluster): string {
  const policy = spec.deletionPolicy ?? (spec.kubeConfigSecretRef === undefined ? "Detach" : "Uninstall");
  const end =
    policy === "Uninstall"
      ? "the agent is uninstalled, its credentials are revoked"
      : "its credentials are revoked; the agent's objects stay in the cluster (deletionPolicy Detach)";
  const grace = spec.deletionGracePeriod;
  const when = grace === undefined || /^0[a-z]*$/u.test(grace) ? "" : ` after ${grace} (deletionGracePeriod)`;
  return [
    `The next push makes ${metadata.name} leave${when}: ${end}, and it is deleted from the hub.`,
    "Rules (ClusterDefaults) may override this; rollcall plan shows it. Removals over the budget wait for an approval.",
    "",
  ].join("\n");
}
