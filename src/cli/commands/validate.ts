import { problemsOfChange } from "../../model/problem.ts";
import { printableJson } from "../../core/printable-json.ts";
import { errorPage } from "../../core/error-page.ts";
import { AppError } from "../../core/errors.ts";
import { assertNever } from "../../core/assert-never.ts";
import { version } from "../../core/version.ts";
import { boundProblems } from "../../manifests/bound-problems.ts";
import { checkFleet } from "../../manifests/check-fleet.ts";
import type { CheckedFleet } from "../../manifests/check-fleet.ts";
import type { FileParser } from "../../manifests/parse-file.ts";
import { createFileParser } from "../../manifests/parse-file.ts";
import { placeOfMeant } from "../../manifests/stands-for.ts";
import type { Problem } from "../../model/problem.ts";
import { compareProblems } from "../../model/problem.ts";
import type { ParsedFile } from "../../model/source.ts";
import { isGitDir } from "../../git/local/local-repository.ts";
import { checkPolicies } from "../../review/check-policies.ts";
import { applySuppressions } from "../../manifests/suppressions.ts";
import type { BaseFiles } from "../../work-tree/changed-since.ts";
import { isColourful } from "../render/is-colourful.ts";
import type { Excerpt } from "../render/problem-excerpt.ts";
import { excerptsFrom } from "../render/problem-excerpt.ts";
import type { ChosenSeverity } from "../render/problem-severities.ts";
import { readSeverities, withSeverities } from "../render/problem-severities.ts";
import { isNamed, locateNamedFiles } from "../../work-tree/named-files.ts";
import { openKnownFiles, readFolder } from "../../work-tree/read-folder.ts";
import { renderGithub } from "../render/render-github.ts";
import { renderSarif } from "../render/render-sarif.ts";
import { compareNames } from "../../core/compare-names.ts";
import { countOf, nameSome, oneOrMany } from "../../core/count-of.ts";
import { printable } from "../../core/printable.ts";
import { createProgressBar } from "../render/progress-bar.ts";
import type { ProgressOutput } from "../render/progress-bar.ts";
import { renderProblems, summarizeProblems } from "../render/render-problems.ts";
import { hasNextCommand } from "../../system/has-next-command.ts";
import { readPath } from "../../settings/read-path.ts";
import type { Settings } from "../../settings/settings.ts";

/** `github` are workflow commands, which show problems at the lines of a pull request. */
export type ProblemFormat = (typeof problemFormats)[number];

export const problemFormats = ["text", "json", "sarif", "github"] as const;

export interface ValidateOptions {
  /** The folder to read: the work tree of a repository, or any other. */
  readonly dir: string;
  /** Reports only problems of these files and folders. Default: all. */
  readonly paths?: readonly string[];
  /** Takes the output, piece by piece. */
  readonly out: (text: string) => void;
  readonly isColour: boolean;
  readonly format?: ProblemFormat;
  /** Workspace of documents that name none. Default: fleet. */
  readonly defaultWorkspace?: string;
  /** Namespaces that may be written to, with wildcards. Unset: every one that is no system namespace. */
  readonly workspaces?: readonly string[];
  /** Reports only problems of changed files, and problems that the change causes in others. */
  readonly changedSince?: string;
  /** Warnings count as errors. Default false. */
  readonly isStrict?: boolean;
  /** Whether what was parsed may be kept in the repository's own folder, for the next time. Default true. */
  readonly isKept?: boolean;
  /** Called after each file that is read, with how many there are. */
  readonly onFile?: (done: number, total: number) => void;
  /** Severities other than the usual ones, by code. */
  readonly severities?: ReadonlyMap<string, ChosenSeverity>;
}

/**
 * `rollcall validate`: checks every file of a folder and prints all problems, sorted, and a line that sums up.
 * Resolves with the exit code: 0 when there are no errors (warnings do not count), 1 when there are.
 * @throws E_READ when the folder itself cannot be read; E_USAGE for a repository without a work tree
 */
export async function runValidate(options: ValidateOptions): Promise<0 | 1> {
  const { dir, out, isColour, format = "text" } = options;
  const { checked, problems: found, files, checkedFiles, isCut } = await validateFolder(dir, options);
  const { isStrict = false, severities = new Map() } = options;
  const problems = withSeverities(found, { isStrict, severities });
  const byPath = new Map(files.map((file) => [file.path, file]));
  const textOf = (file: string): string | undefined => byPath.get(file)?.text;
  const hasErrors = problems.some(({ severity }) => severity === "error");
  switch (format) {
    case "text":
      out(renderProblems(problems, { isColour, textOf }));
      for (const path of options.paths ?? []) {
        const isExplained = [...files.map((file) => file.path), ...problems.map(({ file }) => file)].some((file) =>
          isNamed(file, [path]),
        );
        if (!isExplained) out(`${printable(path)} is not read: ${whyNotRead}\n`);
      }
      out(`${describeCounts(checked, files, options.paths && checkedFiles)}: ${summarizeProblems(problems)}\n`);
      if (!options.paths && problems.length === 0 && isWithoutFleet(checked)) out(noFleetHint);
      if (options.workspaces === undefined) out(describeUnchecked(checkedFiles));
      out(describeForeign(checked));
      if (isCut) out(cutHint);
      break;
    case "json": {
      const excerptOf = excerptsFrom(textOf);
      const described = problems.map((problem) => describeProblem(problem, excerptOf(problem)));
      out(`${printableJson({ problems: described, counts: countsOf(checked) })}\n`);
      break;
    }
    case "sarif":
      out(renderSarif(problems, version, textOf));
      break;
    case "github":
      out(renderGithub(problems));
      break;
    default:
      assertNever(format);
  }
  return hasErrors ? 1 : 0;
}

const noFleetHint =
  "Next: name the folder of a fleet, as in rollcall validate FOLDER, or make one in a new or empty folder: rollcall init FOLDER\n";

const cutHint =
  "Not checked here: files that this sparse checkout leaves out and that cannot be read. git sparse-checkout disable checks them out.\n";

function isWithoutFleet(checked: CheckedFleet): boolean {
  return Object.values(countsOf(checked)).every((count) => count === 0);
}

const whyNotRead =
  "no file of a fleet has this name (.yaml, .yml, .json), .rollcallignore leaves it out, or it is in a submodule";

/** Names the options that a daemon needs for the declared protocols of other projects. Empty: there are none. */
function describeForeign({ fleet }: CheckedFleet): string {
  const { clusters, tokens } = fleet;
  const names = [...clusters, ...tokens].map(({ object }) => object.spec?.protocol ?? "rollcall");
  const foreign = [...new Set(names)].filter((name) => name !== "rollcall").sort(compareNames);
  if (foreign.length === 0) return "";
  const options = foreign.map((name) => `--serve-${name}`).join(", ");
  return `Not checked here: whether the daemon runs with ${options}. rollcall plan checks it.\n`;
}

/** Names of workspaces in one line. */
const mostWorkspaces = 5;

/** What the command line gives to the command. */
interface CommandInput {
  readonly settings: Settings;
  /** A folder, or files; none means the current folder. */
  readonly args: readonly string[];
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  /** Shows how far the reading is. */
  readonly stderr?: ProgressOutput;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** `rollcall validate [path...]` as the command line calls it. */
export async function runValidateCommand(input: CommandInput): Promise<number> {
  const { settings, args, stdout, environment } = input;
  const bar = input.stderr && createProgressBar(input.stderr, "Read", "file");
  const changedSince = settings.text("changed-since");
  const out = (text: string): void => {
    bar?.end();
    stdout.write(text);
  };
  try {
    return await runValidate({
      ...(await locateNamedFiles(args.map((path) => readPath(path, environment)))),
      out,
      isColour: isColourful(stdout, environment),
      format: problemFormats.find((name) => name === settings.text("output")) ?? "text",
      isStrict: settings.isOn("strict"),
      isKept: hasNextCommand(environment),
      ...(bar ? { onFile: (done: number, total: number) => bar.show(done, total) } : {}),
      severities: readSeverities(settings.list("severity") ?? []),
      ...(changedSince === undefined ? {} : { changedSince }),
    });
  } finally {
    bar?.end();
  }
}

interface ValidatedFolder {
  readonly checked: CheckedFleet;
  readonly problems: readonly Problem[];
  readonly files: readonly ParsedFile[];
  /** The files whose problems are reported. */
  readonly checkedFiles: readonly ParsedFile[];
  /** Whether a sparse checkout may leave out more files. */
  readonly isCut: boolean;
}

async function validateFolder(dir: string, options: ValidateOptions): Promise<ValidatedFolder> {
  const { defaultWorkspace = "fleet", workspaces, changedSince, isKept = true, paths = [""] } = options;
  if (await isGitDir(dir)) {
    const remedy = "Clone it, and give the folder of the clone.";
    throw new AppError("E_USAGE", `${printable(dir)} is a repository of git without a work tree`, { remedy });
  }
  const parseFile = createFileParser();
  const known = await openKnownFiles(dir, paths);
  const { files, problems: pathProblems, hasSuppressions } = readFolder(dir, parseFile, known, options.onFile);
  if (isKept) await known?.cache.save();
  const context = { defaultWorkspace, evaluatesSelectors: true, ...(workspaces && { workspaces }) };
  const checked = checkFleet(files, context);
  const broken = boundProblems(await checkPolicies(checked.fleet, { files }));
  const all = [...pathProblems, ...checked.problems, ...broken];
  const base =
    changedSince === undefined
      ? undefined
      : await readBase(dir, changedSince, { files, parseFile, isClean: all.length === 0 && !hasSuppressions });
  const reported = base === undefined ? all : await newProblems(all, { base, files, broken, context });
  const checkedFiles = files.filter(({ path }) => isNamed(path, paths) && (base?.changed.has(path) ?? true));
  const problems = applySuppressions(
    reported.filter(({ file }) => isNamed(file, paths)),
    checkedFiles,
  );
  return { checked, problems: problems.sort(compareProblems), files, checkedFiles, isCut: known?.isCut === true };
}

async function readBase(
  dir: string,
  revision: string,
  {
    files,
    parseFile,
    isClean,
  }: { readonly files: readonly ParsedFile[]; readonly parseFile: FileParser; readonly isClean: boolean },
): Promise<BaseFiles> {
  // What reads git takes longer to load than to ask: it is loaded where it is needed.
  const { readBaseFiles, resolveBase } = await import("../../work-tree/changed-since.ts");
  if (!isClean) return readBaseFiles(dir, revision, { now: files, parseFile });
  // Where nothing is wrong, nothing can be wrong since then.
  await resolveBase(dir, revision);
  return { files: [], changed: new Set() };
}

interface Comparison {
  readonly base: BaseFiles;
  readonly files: readonly ParsedFile[];
  readonly broken: readonly Problem[];
  readonly context: Parameters<typeof checkFleet>[1];
}

/** What a change is to blame for: everything in files that it changed, and in others what was not there before. */
async function newProblems(all: readonly Problem[], comparison: Comparison): Promise<readonly Problem[]> {
  const { changed } = comparison.base;
  // What was wrong before matters only where something is wrong in a file that did not change.
  if (all.every(({ file }) => changed.has(file))) return all;
  return problemsOfChange(all, await problemsBefore(comparison), changed);
}

/** Policies evaluate each document by itself: for files that did not change their result is the same, unless a policy changed. */
async function problemsBefore({ base, files, broken, context }: Comparison): Promise<readonly Problem[]> {
  const checked = checkFleet(base.files, context);
  const unchanged = new Set(files.filter(({ path }) => !base.changed.has(path)));
  const isPolicyChanged = [
    ...base.files.filter((file) => !unchanged.has(file)),
    ...files.filter((file) => !unchanged.has(file)),
  ].some(({ documents }) => documents.some(({ object }) => object.kind === "Policy"));
  return [...checked.problems, ...(isPolicyChanged ? await checkPolicies(checked.fleet, base) : broken)];
}

/** A problem as JSON output has it: with the line that it is in, and the page of its code. */
function describeProblem(problem: Problem, excerpt: Excerpt | undefined) {
  return { ...problem, ...(excerpt ? { excerpt: excerpt.line } : {}), page: errorPage(problem.code) };
}

function countsOf({ fleet }: CheckedFleet) {
  return {
    clusters: fleet.clusters.length,
    tokens: fleet.tokens.length,
    groups: fleet.groups.length,
    rules: fleet.labelRules.length + fleet.defaultRules.length,
    policies: fleet.policies.length,
    secrets: fleet.secrets.length,
    foreignObjects: fleet.foreignObjects.length,
  };
}

/** The Repository on the hub has the allowed workspaces: the output states once what could not be checked. */
function describeUnchecked(files: readonly ParsedFile[]): string {
  const named = files.flatMap(({ documents }) =>
    documents.flatMap(({ object }) => placeOfMeant(object.kind, object, object.metadata).namespace ?? []),
  );
  const names = [...new Set(named)].sort(compareNames);
  if (names.length === 0) return "";
  const shown = nameSome(names, mostWorkspaces, printable);
  return `Not checked here: whether the Repository allows ${oneOrMany(names.length, "workspace", "workspaces")} ${shown}. rollcall plan checks it.\n`;
}

function describeCounts(
  checked: CheckedFleet,
  files: readonly ParsedFile[],
  checkedFiles: readonly ParsedFile[] | undefined,
): string {
  if (checkedFiles) return `${checkedFiles.length} of ${countOf(files.length, "file")}`;
  const { clusters, tokens, groups, rules, policies, secrets, foreignObjects } = countsOf(checked);
  const counts = [
    countOf(clusters, "cluster"),
    countOf(tokens, "token"),
    countOf(groups, "group"),
    countOf(rules, "rule"),
    countOf(policies, "policy", "policies"),
    countOf(secrets, "secret"),
    countOf(foreignObjects, "object") + " of other projects",
  ];
  const shown = counts.filter((text) => !text.startsWith("0 "));
  if (shown.length === 0) return `no document of a fleet in ${countOf(files.length, "file")}`;
  return `${shown.join(", ")} in ${countOf(files.filter(({ documents }) => documents.length > 0).length, "file")}`;
}
