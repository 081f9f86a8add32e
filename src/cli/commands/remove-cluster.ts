import { AppError } from "../../core/errors.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import { deletionPolicyOf, gracePeriodOf } from "../../planning/cluster-settings.ts";
import type { PlainContext } from "./command-context.ts";
import type { Problem } from "../../model/problem.ts";
import type { DeclaredDocument, DeclaredObject, WorkTreeFile } from "../../work-tree/declared-documents.ts";
import { declaredClusters, documentsIn, documentsOf, readFleetFiles } from "../../work-tree/declared-documents.ts";
import { countDocuments, deleteFiles, findDeclared, refuseSharedFile } from "./find-declared.ts";

/**
 * `rollcall remove cluster NAME`: deletes its file from a work tree, with the file of its kubeconfig when no other
 * cluster names that, and prints the effect of the next push. The hub is not changed.
 * @throws E_USAGE when no file declares it, several do, or its file must be edited manually
 */
export async function runRemoveCluster({ settings, args, stdout }: PlainContext): Promise<number> {
  const dir = settings.requiredText("dir");
  const { files, isCut } = await readFleetFiles(dir);
  const declared = documentsIn(files);
  const clusters = declaredClusters(declared);
  const found = findDeclared(clusters, {
    kind: "Cluster",
    given: args[0] ?? "",
    workspaceOption: settings.text("workspace"),
  });
  const { file, object: cluster } = found;
  if (cluster.spec?.deletionProtection === true) {
    const remedy = "set deletionProtection to false, push, and let it be applied first";
    throw new AppError("E_USAGE", `${file.path} protects the cluster: ${remedy}`);
  }
  const named = ownSecretName(found, clusters);
  const leftOut = "a cluster may use it in a file that this sparse checkout leaves out and that cannot be read";
  const why = isCut ? leftOut : named === undefined ? undefined : useInBroken(named, files);
  const secret = why === undefined ? named : undefined;
  refuseSharedFile(found, declared, secret);
  const secretFile = secret === undefined ? undefined : ownSecretFile(secret, cluster, declared);
  const paths = await deleteFiles(dir, [found, secretFile ?? []].flat());
  const kept =
    why === undefined || named === undefined ? undefined : ownSecretFile(named, cluster, declared)?.file.path;
  const lines = [...paths.map((path) => `deleted ${path}`), ...(kept === undefined ? [] : [`kept ${kept}: ${why}`])];
  stdout.write(`${lines.join("\n")}\n${describeOffboarding(cluster)}`);
  return 0;
}

/** The Secret of the kubeconfig, where this cluster alone names it. */
function ownSecretName(
  { document, object: cluster }: DeclaredObject<Cluster>,
  clusters: readonly DeclaredObject<Cluster>[],
): string | undefined {
  const name = cluster.spec?.kubeConfigSecretRef?.name;
  const isNamedAgain = clusters.some(
    ({ document: other, object: { metadata, spec } }) =>
      other !== document &&
      spec?.kubeConfigSecretRef?.name === name &&
      mayBeInOne(metadata.namespace, cluster.metadata.namespace),
  );
  return isNamedAgain ? undefined : name;
}

/** A cluster whose file has an error stays as it was, and may use the Secret. Of a file that is too large there is no text. */
function useInBroken(secret: string, files: readonly WorkTreeFile[]): string | undefined {
  const names = (text: string): boolean => text === "" || text.includes(secret);
  const broken = files.find(({ file: { problems, text } }) => problems.some(isError) && names(text));
  return broken && `a cluster may use it in ${broken.file.path}, which has an error: rollcall validate shows it`;
}

function isError({ severity }: Problem): boolean {
  return severity === "error";
}

/** A document that names no workspace may be in each. */
function mayBeInOne(workspace: string | undefined, other: string | undefined): boolean {
  return workspace === undefined || other === undefined || workspace === other;
}

/** The file of a Secret, where nothing else is in it, and no other file declares it again. */
function ownSecretFile(
  name: string,
  { metadata }: Cluster,
  declared: readonly DeclaredDocument[],
): DeclaredDocument | undefined {
  const [secret, another] = documentsOf(declared, "Secret", name, metadata.namespace);
  if (!secret || another) return undefined;
  return countDocuments(secret.file.text) === 1 ? secret : undefined;
}

function describeOffboarding(cluster: Cluster): string {
  const end =
    deletionPolicyOf(cluster) === "Uninstall"
      ? "the agent is uninstalled, its credentials are revoked"
      : "its credentials are revoked; the agent's objects stay in the cluster (deletionPolicy Detach)";
  const grace = gracePeriodOf(cluster);
  const when = grace === undefined ? "" : ` after ${grace} (deletionGracePeriod)`;
  return [
    `The next push makes ${cluster.metadata.name} leave${when}: ${end}, and it is deleted from the hub.`,
    "Rules (ClusterDefaults) may override this; rollcall plan shows it. Removals over the budget wait for an approval.",
    "",
  ].join("\n");
}
