import { existsSync, lstatSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { AdoptedFile, AdoptSource } from "../../adopt/adopt-source.ts";
import type { AdoptedHub, AdoptedObjects } from "../../adopt/adopt.ts";
import { adoptHub, adoptObjects, nameOf } from "../../adopt/adopt.ts";
import { clusterApiSource } from "../../adopt/cluster-api-source.ts";
import { clusternetSource } from "../../adopt/clusternet-source.ts";
import { fleetSource } from "../../adopt/fleet-source.ts";
import { kubefleetSource } from "../../adopt/kubefleet-source.ts";
import { countOf } from "../../core/count-of.ts";
import { AppError, describeError, isAppError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { connectHub } from "../../daemon/connect-hub.ts";
import type { KubeApi } from "../../kube/kube.ts";
import { createFileParser } from "../../manifests/parse-file.ts";
import { labelKeys } from "../../model/well-known.ts";
import {
  declaredClusters,
  documentsOf,
  objectsCalled,
  readDeclaredDocuments,
} from "../../work-tree/declared-documents.ts";
import { readIfThere } from "../../work-tree/read-if-there.ts";
import type { PlainContext } from "./command-context.ts";
import { followNewObjects } from "./import-watch.ts";
import { refuseLinkedFolder, writeNewFile } from "./write-new-files.ts";
import { checkName } from "./read-labels.ts";
import { unknownChoice } from "./unknown-choice.ts";

/** The only one whose clusters go on coming by themselves. */
const clusterApi = "cluster-api";

const sources: ReadonlyMap<string, AdoptSource> = new Map([
  ["fleet", fleetSource],
  ["kubefleet", kubefleetSource],
  ["clusternet", clusternetSource],
  [clusterApi, clusterApiSource],
]);

/** How many things `rollcall import` could not do as they should be: what was refused, and files whose path is occupied. */
type UndoneCount = number;

/**
 * `rollcall import PROJECT`: reads the hub of a kubeconfig and writes the files that take over its clusters, tokens and
 * groups into a work tree; the hub is not changed. An existing file is not changed. Exit code 1 when an object could
 * not be taken over, or when a file in its place has other content. With `--watch` it runs until it is stopped, and
 * writes the file of each new cluster.
 * @throws E_USAGE for a project that is not known or not on this hub, and errors of the API server
 */
export async function runImport({ settings, args, environment, stdout, signal }: PlainContext): Promise<number> {
  const [project = ""] = args;
  const source = sourceOf(project);
  const isWatching = settings.isOn("watch");
  if (isWatching && project !== clusterApi)
    throw new AppError("E_USAGE", `--watch is for ${clusterApi}: run rollcall import ${project} again for what is new`);
  const options = { defaultWorkspace: checkName(settings.requiredText("workspace"), "--workspace"), signal };
  const dir = settings.requiredText("dir");
  const { hubApi } = await connectHub(settings, environment);
  const print = (line: string): void => void stdout.write(`${printable(line)}\n`);
  const report = async (found: AdoptedObjects): Promise<UndoneCount> => {
    const adopted = await withoutDeclared(found, dir);
    if (!settings.isOn("dry-run")) return writeAndReport(adopted, dir, print);
    for (const { path, text } of adopted.files) stdout.write(`---\n# ${printable(path)}\n${text}`);
    describe(adopted, (line) => print(`# ${line}`));
    return adopted.refusals.length;
  };
  try {
    const adopted = await readHub(hubApi, source, options);
    let undone = await report(adopted);
    const printComment = settings.isOn("dry-run") ? (line: string) => print(`# ${line}`) : print;
    for (const line of summaryOf(adopted, source)) printComment(line);
    if (!settings.isOn("dry-run")) for (const line of nextSteps(project, adopted, hubApi.server)) print(line);
    if (!isWatching) return undone > 0 ? 1 : 0;
    printComment("Watching for new clusters, until it is stopped.");
    await followNewObjects(hubApi, adopted.mainType, {
      known: adopted.mainObjects,
      signal,
      onNew: async (object) => {
        undone += await report(await adoptObjects(hubApi, [object], { ...options, source }));
      },
      onGone: (object) => printComment(`deleted: ${nameOf(object)}; rollcall remove cluster deletes its file`),
      onError: (error) => printComment(`watching failed, and is tried again: ${describeError(error)}`),
    });
    return undone > 0 ? 1 : 0;
  } finally {
    await hubApi.close();
  }
}

async function readHub(
  hubApi: KubeApi,
  source: AdoptSource,
  options: { readonly defaultWorkspace: string; readonly signal: AbortSignal },
): Promise<AdoptedHub> {
  try {
    return await adoptHub(hubApi, source, options);
  } catch (error) {
    if (!isAppError(error, "E_KUBE_NOT_FOUND")) throw error;
    const [{ plural, group }] = source.mainTypes;
    const versions = source.mainTypes.map(({ version }) => version).join(" or ");
    const what = `the hub at ${hubApi.server} does not have the kinds of ${source.title} (${plural}.${group}, ${versions})`;
    throw new AppError("E_USAGE", `${what}: is it the right kubeconfig, and the right context?`, { cause: error });
  }
}

/** Writes the files, and prints what was written and what was not. */
async function writeAndReport(
  adopted: AdoptedObjects,
  dir: string,
  print: (line: string) => void,
): Promise<UndoneCount> {
  const occupied = await writeFiles(adopted.files, dir, print);
  describe(adopted, print);
  for (const path of occupied) print(`not written: ${path} exists with other content; compare, or remove it`);
  return adopted.refusals.length + occupied.length;
}

function sourceOf(project: string): AdoptSource {
  const source = sources.get(project);
  if (source) return source;
  throw unknownChoice("project", project, [...sources.keys()]);
}

/** Leaves out what another file of the folder declares: a file of an earlier import may have been moved. */
async function withoutDeclared(adopted: AdoptedObjects, dir: string): Promise<AdoptedObjects> {
  const isNew = ({ path }: AdoptedFile): boolean => !existsSync(join(dir, path));
  if (!existsSync(dir) || !adopted.files.some(isNew)) return adopted;
  const declared = await readDeclaredDocuments(dir);
  const clusters = declaredClusters(declared);
  const parseFile = createFileParser();
  const left = adopted.files.filter(isNew).flatMap((file) => {
    const [document] = parseFile({ path: file.path, blobId: "", bytes: Buffer.from(file.text) }).documents;
    if (document === undefined) return [];
    const { kind, metadata } = document.object;
    const [other] =
      kind === "Cluster"
        ? objectsCalled(clusters, metadata.name, metadata.namespace)
        : documentsOf(declared, kind, metadata.name, metadata.namespace);
    return other === undefined
      ? []
      : [{ object: file.object, path: file.path, reason: `declared in ${other.file.path}` }];
  });
  const paths = new Set(left.map(({ path }) => path));
  return {
    ...adopted,
    files: adopted.files.filter(({ path }) => !paths.has(path)),
    left: [...adopted.left, ...left.map(({ object, reason }) => ({ object, reason }))],
  };
}

/** Writes what is not there yet; returns the paths of files that have other content. */
async function writeFiles(
  files: readonly AdoptedFile[],
  dir: string,
  print: (line: string) => void,
): Promise<readonly string[]> {
  const occupied: string[] = [];
  let unchanged = 0;
  for (const { path, text } of files) {
    refuseLinkedFolder(dir, path);
    const place = join(dir, path);
    // Of what is no plain file, nothing is read by a daemon.
    const isOther = lstatSync(place, { throwIfNoEntry: false })?.isFile() === false;
    // A checkout may have given the line ends of Windows to it.
    const there = isOther ? undefined : (await readIfThere(place))?.replaceAll("\r\n", "\n");
    if (isOther || (there !== undefined && !text.startsWith(there))) occupied.push(path);
    else if (there === text) unchanged++;
    else {
      // A part of it is of a run that was killed while it wrote.
      if (there !== undefined) await rm(place);
      await writeNewFile(dir, path, text);
      print(place);
    }
  }
  if (unchanged > 0) print(`unchanged: ${countOf(unchanged, "file")} of an earlier import`);
  return occupied;
}

function describe({ left, refusals }: AdoptedObjects, print: (line: string) => void): void {
  for (const { object, reason } of left) print(`not imported: ${object}: ${reason}`);
  for (const { object, reason, fix } of refusals) {
    print(`refused: ${object}: ${reason}`);
    print(`    fix: ${fix}`);
  }
}

function summaryOf({ files, unserved }: AdoptedHub, { title }: AdoptSource): string[] {
  return [
    ...unserved.map(({ kind, count, meaning }) => `not Rollcall's: ${countOf(count, kind)}: ${meaning}`),
    `${countOf(files.length, "file")} of a hub of ${title}; the hub was not changed.`,
  ];
}

function nextSteps(project: string, { files, missingWorkspaces }: AdoptedHub, server: string): string[] {
  if (files.length === 0) return [];
  return [
    ...missingWorkspaces.map(({ name, isThere }) => {
      const create = isThere ? "" : `kubectl create namespace ${name}; `;
      return `Next: ${create}kubectl label namespace ${name} ${labelKeys.workspace}=true   (on ${server})`;
    }),
    `Then: commit and push; rollcall plan shows what a run would write; docs/protocols/${pageOf(project)} has the rest.`,
  ];
}

function pageOf(project: string): string {
  return project === clusterApi ? "cluster-api.md" : `moving-from-${project}.md`;
}
