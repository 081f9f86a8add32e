import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { isTrueAt, textAt } from "../../core/read-json.ts";
import { readYaml } from "../../manifests/read-yaml.ts";
import type { PlainContext } from "./command-context.ts";
import type { DeclaredDocument } from "../../work-tree/declared-documents.ts";
import { documentsOf, readDeclaredDocuments } from "../../work-tree/declared-documents.ts";
import { checkName } from "./read-labels.ts";

/**
 * `rollcall remove cluster NAME`: deletes its file from a work tree, with the file of its kubeconfig when no other
 * cluster names that, and prints the effect of the next push. The hub is not changed.
 * @throws E_USAGE when no file declares it, several do, or its file must be edited manually
 */
export async function runRemoveCluster({ settings, args, stdout }: PlainContext): Promise<number> {
  const dir = settings.requiredText("dir");
  const name = checkName(args[0] ?? "", "the cluster's name");
  const declared = readDeclaredDocuments(dir);
  const { file, document } = findCluster(declared, name, settings.text("workspace"));
  if (isTrueAt(document.object, "spec", "deletionProtection")) {
    const remedy = "set deletionProtection to false, push, and let it be applied first";
    throw new AppError("E_USAGE", `${file.path} protects the cluster: ${remedy}`);
  }
  refuseSharedFile({ file, document }, declared);
  const secretFile = ownSecretFile(document, declared);
  const paths = [file.path, ...(secretFile === undefined || secretFile === file.path ? [] : [secretFile])];
  for (const path of paths) await rm(join(dir, path));
  stdout.write(
    `${paths.map((path) => `deleted ${join(dir, path)}`).join("\n")}\n${describeOffboarding(document.object)}`,
  );
  return 0;
}

function findCluster(
  declared: readonly DeclaredDocument[],
  name: string,
  workspace: string | undefined,
): DeclaredDocument {
  const found = documentsOf(declared, "Cluster", name, workspace);
  const [first, second] = found;
  if (!first) {
    const clusters = declared.filter(({ document: { object } }) => object.kind === "Cluster");
    const near = nearestName(
      name,
      clusters.map(({ document }) => document.object.metadata.name),
    );
    const hint = near === undefined ? "see rollcall validate" : `did you mean ${near}?`;
    throw new AppError("E_USAGE", `no valid file declares Cluster ${name}: ${hint}`);
  }
  if (second) {
    const places = found.map(({ file, document }) => `${document.object.metadata.namespace ?? "-"} in ${file.path}`);
    throw new AppError("E_USAGE", `more than one Cluster is called ${name}: give --workspace (${places.join(", ")})`);
  }
  return first;
}

/** Deleting a file deletes all that it declares, also what could not be read of it. */
function refuseSharedFile({ file, document }: DeclaredDocument, declared: readonly DeclaredDocument[]): void {
  const others = declared.filter((other) => other.file.path === file.path && other.document.index !== document.index);
  const ownSecret = textAt(document.object, "spec", "kubeConfigSecretRef", "name");
  const foreign = others.find(({ document: { object } }) => {
    return object.kind !== "Secret" || object.metadata.name !== ownSecret;
  });
  const isAllOurs = readYaml(file.text).documents.length === others.length + 1;
  if (!foreign && isAllOurs) return;
  const { line } = document.position;
  throw new AppError("E_USAGE", `${file.path} declares more than this cluster: delete its document, at line ${line}`);
}

function ownSecretFile({ object }: DeclaredDocument["document"], declared: readonly DeclaredDocument[]) {
  const name = textAt(object, "spec", "kubeConfigSecretRef", "name");
  if (name === undefined) return undefined;
  const { namespace } = object.metadata;
  const isNamedAgain = declared.some(({ document }) => {
    const isOther = document.object !== object && document.object.kind === "Cluster";
    return isOther && textAt(document.object, "spec", "kubeConfigSecretRef", "name") === name;
  });
  const [secret, another] = documentsOf(declared, "Secret", name, namespace);
  if (!secret || another || isNamedAgain) return undefined;
  const isAlone = declared.filter(({ file }) => file.path === secret.file.path).length === 1;
  return isAlone ? secret.file.path : undefined;
}

function describeOffboarding(object: DeclaredDocument["document"]["object"]): string {
  const isHubInitiated = textAt(object, "spec", "kubeConfigSecretRef", "name") !== undefined;
  const policy = textAt(object, "spec", "deletionPolicy") ?? (isHubInitiated ? "Uninstall" : "Detach");
  const end =
    policy === "Uninstall"
      ? "the agent is uninstalled, its credentials are revoked"
      : "its credentials are revoked; the agent's objects stay in the cluster (deletionPolicy Detach)";
  const grace = textAt(object, "spec", "deletionGracePeriod");
  const when = grace === undefined || /^0[a-z]*$/u.test(grace) ? "" : ` after ${grace} (deletionGracePeriod)`;
  return [
    `The next push makes ${object.metadata.name} leave${when}: ${end}, and it is deleted from the hub.`,
    "Rules (ClusterDefaults) may override this; rollcall plan shows it. Removals over the budget wait for an approval.",
    "",
  ].join("\n");
}
