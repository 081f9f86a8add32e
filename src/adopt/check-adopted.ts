import { checkFleet } from "../manifests/check-fleet.ts";
import { createFileParser } from "../manifests/parse-file.ts";
import type { Problem } from "../model/problem.ts";
import type { AdoptedFile, Refusal } from "./adopt-source.ts";

export interface CheckedAdoption {
  readonly files: readonly AdoptedFile[];
  readonly refusals: readonly Refusal[];
  /** Namespaces that the files write to. */
  readonly workspaces: readonly string[];
}

/** Holds files to the checks that every file of a repository is held to: what those would refuse is not written. */
export function checkAdopted(
  files: readonly AdoptedFile[],
  { defaultWorkspace }: { readonly defaultWorkspace: string },
): CheckedAdoption {
  const parse = createFileParser();
  const encoder = new TextEncoder();
  const parsed = files.map(({ path, text }) => parse({ path, blobId: "", bytes: encoder.encode(text) }));
  const { fleet, problems } = checkFleet(parsed, { defaultWorkspace });
  const errors = new Map<string, Problem>();
  for (const problem of problems) {
    if (problem.severity === "error" && !errors.has(problem.file)) errors.set(problem.file, problem);
  }
  const sound = files.filter(({ path }) => !errors.has(path));
  const refusals = files.flatMap(({ path, object }): Refusal[] => {
    const problem = errors.get(path);
    if (problem === undefined) return [];
    const { code, message, fix = "Change it on the hub, and import again." } = problem;
    return [{ object, reason: `its file would be refused (${code}): ${message}`, fix }];
  });
  const objects = [...fleet.clusters, ...fleet.tokens, ...fleet.groups];
  const workspaces = new Set(objects.map(({ object }) => object.metadata.namespace ?? defaultWorkspace));
  return {
    files: [...sound].sort((a, b) => (a.path < b.path ? -1 : 1)),
    refusals,
    workspaces: [...workspaces].sort(),
  };
}
