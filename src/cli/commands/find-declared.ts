import { rm } from "node:fs/promises";
import { join, posix } from "node:path";
import { AppError } from "../../core/errors.ts";
import { shellWord } from "../../core/shell-word.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { readYaml } from "../../manifests/read-yaml.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { DeclaredDocument, DeclaredObject } from "../../work-tree/declared-documents.ts";
import { documentsOf, objectsCalled } from "../../work-tree/declared-documents.ts";
import { checkName } from "./read-labels.ts";

/**
 * The one that a person means by `given`, a name or `workspace/name`.
 * @throws E_USAGE when no document declares it, or several do
 */
export function findDeclared<T extends KubeObject>(
  objects: readonly DeclaredObject<T>[],
  {
    kind,
    given,
    workspaceOption,
  }: {
    readonly kind: "Cluster" | "ClusterRegistrationToken";
    readonly given: string;
    readonly workspaceOption: string | undefined;
  },
): DeclaredObject<T> {
  const noun = kind === "Cluster" ? "cluster" : "token";
  const slash = given.indexOf("/");
  const workspace = slash < 0 ? workspaceOption : checkName(given.slice(0, slash), "the workspace's name");
  const name = checkName(given.slice(slash + 1), `the ${noun}'s name`);
  if (workspaceOption !== undefined && workspace !== workspaceOption)
    throw new AppError("E_USAGE", `${given} is not in the workspace of --workspace, ${workspaceOption}`);
  const found = objectsCalled(objects, name, workspace);
  const [first, second] = found;
  if (!first) {
    const near = nearestName(
      name,
      objects.map(({ object }) => object.metadata.name),
    );
    const hint = near === undefined || near === name ? "see rollcall validate" : `did you mean ${near}?`;
    throw new AppError("E_USAGE", `no valid file declares ${kind} ${given}: ${hint}`);
  }
  if (second) {
    const places = found.map(({ file, object }) => `${object.metadata.namespace ?? "-"} in ${file.path}`);
    throw new AppError("E_USAGE", `more than one ${kind} is called ${name}: give --workspace (${places.join(", ")})`);
  }
  return first;
}

/**
 * Deleting a file deletes all that it declares, also what could not be read of it.
 * @throws E_USAGE when it declares more than the object, and the Secret that belongs to it alone
 */
export function refuseSharedFile(
  { file, document, object }: DeclaredObject<KubeObject>,
  declared: readonly DeclaredDocument[],
  ownSecret?: string,
): void {
  const others = declared.filter((other) => other.file.path === file.path && other.document.index !== document.index);
  const own = ownSecret === undefined ? [] : documentsOf(others, "Secret", ownSecret, object.metadata.namespace);
  const isAllOurs = countDocuments(file.text) === others.length + 1;
  if (own.length === others.length && isAllOurs) return;
  const { line } = document.position;
  const noun = object.kind === "Cluster" ? "cluster" : "token";
  throw new AppError("E_USAGE", `${file.path} declares more than this ${noun}: delete its document, at line ${line}`);
}

/**
 * Deletes files of a work tree.
 * @throws E_USAGE, and deletes none, when a sparse checkout leaves one out: git would keep it
 */
export async function deleteFiles(dir: string, documents: readonly DeclaredDocument[]): Promise<readonly string[]> {
  const leftOut = documents.find(({ isLeftOut }) => isLeftOut)?.file.path;
  if (leftOut !== undefined) {
    const remedy = `check it out first: git sparse-checkout add ${shellWord(posix.dirname(leftOut))}`;
    throw new AppError("E_USAGE", `${leftOut} is left out of this sparse checkout: ${remedy}`);
  }
  const paths = documents.map(({ file }) => join(dir, file.path));
  for (const path of paths) await rm(path);
  return paths;
}

/** The documents of a file, also those that are not valid; without empty ones. */
export function countDocuments(text: string): number {
  return readYaml(text).documents.filter(({ isReadable, value }) => !isReadable || value !== null).length;
}
