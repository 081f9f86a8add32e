import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AdoptedFile, AdoptSource } from "../adopt/adopt-source.ts";
import type { AdoptedHub } from "../adopt/adopt.ts";
import { adoptHub } from "../adopt/adopt.ts";
import { fleetSource } from "../adopt/fleet-source.ts";
import { kubefleetSource } from "../adopt/kubefleet-source.ts";
import { AppError, isAppError } from "../core/errors.ts";
import { nearestName } from "../core/nearest-name.ts";
import { printable } from "../core/printable.ts";
import type { PlainContext } from "./command-context.ts";
import { connectHub } from "./connect-hub.ts";
import { writeNewFile } from "./init.ts";
import { checkName } from "./read-labels.ts";
import { countOf } from "./render-problems.ts";

const sources: ReadonlyMap<string, AdoptSource> = new Map([
  ["fleet", fleetSource],
  ["kubefleet", kubefleetSource],
]);

/**
 * `rollcall import PROJECT`: reads the hub of a kubeconfig and writes the files that take over its clusters, tokens and groups
 * into a work tree; the hub is not changed. A file that is there already stays as it is. Exit code 1 when something could not
 * be taken over, or when a file in its place says something else.
 * @throws E_USAGE for a project that is not known or not on this hub, and what the API server answers
 */
export async function runImport({ settings, args, environment, stdout, signal }: PlainContext): Promise<number> {
  const [project = ""] = args;
  const source = sourceOf(project);
  const defaultWorkspace = checkName(settings.requiredText("workspace"), "--workspace");
  const dir = settings.requiredText("dir");
  const { hubApi } = await connectHub(settings, environment);
  const say = (line: string): void => void stdout.write(`${printable(line)}\n`);
  try {
    const adopted = await adoptHub(hubApi, source, { defaultWorkspace, signal });
    if (settings.isOn("dry-run")) {
      for (const { path, text } of adopted.files) stdout.write(`---\n# ${path}\n${text}`);
      describe(adopted, source, (line) => say(`# ${line}`));
      return adopted.refusals.length > 0 ? 1 : 0;
    }
    const occupied = await writeFiles(adopted.files, dir, say);
    describe(adopted, source, say);
    for (const path of occupied) say(`not written: ${path} is there and says something else; compare, or remove it`);
    for (const line of nextSteps(project, adopted, hubApi.server)) say(line);
    return adopted.refusals.length + occupied.length > 0 ? 1 : 0;
  } catch (error) {
    if (!isAppError(error, "E_KUBE_NOT_FOUND")) throw error;
    const what = `the hub at ${hubApi.server} does not have the kinds of ${source.title}`;
    throw new AppError("E_USAGE", `${what}: is it the right kubeconfig, and the right context?`, { cause: error });
  } finally {
    await hubApi.close();
  }
}

function sourceOf(project: string): AdoptSource {
  const source = sources.get(project);
  if (source) return source;
  const known = [...sources.keys()];
  const nearest = nearestName(project, known);
  const hint = nearest === undefined ? `it can be ${known.join(" or ")}` : `did you mean ${nearest}?`;
  throw new AppError("E_USAGE", `${project} is no project to import from; ${hint}`);
}

/** Writes what is not there yet; returns the paths of files that say something else. */
async function writeFiles(
  files: readonly AdoptedFile[],
  dir: string,
  say: (line: string) => void,
): Promise<readonly string[]> {
  const occupied: string[] = [];
  for (const { path, text } of files) {
    const there = await readIfThere(join(dir, path));
    if (there === undefined) {
      await writeNewFile(join(dir, path), text);
      say(join(dir, path));
    } else if (there !== text) occupied.push(path);
  }
  return occupied;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new AppError("E_READ", `read ${path}: it cannot be read`, { cause: error });
  }
}

function describe(adopted: AdoptedHub, { title }: AdoptSource, say: (line: string) => void): void {
  const { files, left, refusals, unserved } = adopted;
  say(`${countOf(files.length, "file")} of a hub of ${title}; the hub was not changed.`);
  for (const { object, reason } of left) say(`left alone: ${object}: ${reason}`);
  for (const { kind, count, meaning } of unserved) say(`not Rollcall's: ${countOf(count, kind)}: ${meaning}`);
  for (const { object, reason, fix } of refusals) {
    say(`refused: ${object}: ${reason}`);
    say(`    fix: ${fix}`);
  }
}

function nextSteps(project: string, { files, workspacesToLabel }: AdoptedHub, server: string): string[] {
  if (files.length === 0) return [];
  return [
    ...workspacesToLabel.map(
      (name) => `Next: kubectl label namespace ${name} rollcall.dev/workspace=true   (on ${server})`,
    ),
    `Then: commit and push; rollcall plan shows what a run would write; docs/protocols/moving-from-${project}.md has the rest.`,
  ];
}
