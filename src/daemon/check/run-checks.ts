// daemon/check: what `rollcall check` finds out before a daemon runs. It reads, and asks the hub questions that write nothing.
import process from "node:process";
import { isAppError } from "../../core/errors.ts";
import { version } from "../../core/version.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { Repository, RepositorySpec } from "../../model/generated/repository.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import type { Settings } from "../../settings/settings.ts";
import { connectHub } from "../connect-hub.ts";
import {
  checkHubDefinitions,
  checkLeader,
  checkRights,
  checkServer,
  checkWorkspaces,
  listWorkspaces,
} from "./check-hub-side.ts";
import { checkOptions } from "./check-options.ts";
import type { CheckResult } from "./check-result.ts";
import { check, skipped } from "./check-result.ts";
import { checkFiles, checkForge, checkRepository, checkSecrets } from "./check-sources.ts";

export interface CheckOptions {
  readonly settings: Settings;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The Repository's spec from the options. Undefined: only the hub has it. */
  readonly spec: RepositorySpec | undefined;
  readonly signal: AbortSignal;
}

const noHub = "the hub is not reached";

/** Checks one thing after another, and yields each result at once. Throws only when the signal is aborted. */
export async function* runChecks(options: CheckOptions): AsyncGenerator<CheckResult> {
  const { settings, environment, signal } = options;
  const { platform, arch, version: nodeVersion } = process;
  yield check("program", signal, () =>
    Promise.resolve(`rollcall ${version}, Node.js ${nodeVersion}, ${platform} ${arch}`),
  );
  yield check("options", signal, () => Promise.resolve().then(() => checkOptions(settings)));
  yield check("files", signal, () => checkFiles(settings));
  let hubApi: KubeApi | undefined;
  try {
    const server = await check("hub", signal, async () => {
      hubApi = (await connectHub(settings, environment)).hubApi;
      return checkServer(hubApi, signal);
    });
    yield server;
    const reached = server.state === "ok" ? hubApi : undefined;
    yield* checkReachedHub(reached, options);
    yield* checkSourcesOf(reached, options);
  } finally {
    await hubApi?.close();
  }
}

async function* checkReachedHub(
  hubApi: KubeApi | undefined,
  { settings, signal }: CheckOptions,
): AsyncGenerator<CheckResult> {
  if (hubApi === undefined) {
    for (const name of ["definitions", "daemon", "workspaces", "rights", "secrets"]) yield skipped(name, noHub);
    return;
  }
  yield check("definitions", signal, () => checkHubDefinitions(hubApi, settings, signal));
  yield check("daemon", signal, () => checkLeader(hubApi, settings, signal));
  let workspaces: readonly string[] = [];
  yield await check("workspaces", signal, async () => {
    workspaces = await listWorkspaces(hubApi, settings, signal);
    return checkWorkspaces(settings, workspaces);
  });
  yield check("rights", signal, () => checkRights(hubApi, settings, { workspaces, signal }));
  yield check("secrets", signal, () => checkSecrets(hubApi, settings));
}

async function* checkSourcesOf(hubApi: KubeApi | undefined, options: CheckOptions): AsyncGenerator<CheckResult> {
  const { settings, environment, signal } = options;
  const known: { repository?: Repository } = {};
  const found = await check("repository", signal, async () => {
    const repository = await readRepository(hubApi, options);
    if (repository === undefined) {
      return {
        state: "failed" as const,
        message: hubApi === undefined ? `no repository is named, and ${noHub}` : "neither --repo nor the hub names one",
        remedy: "Name the repository with --repo.",
      };
    }
    known.repository = repository;
    return checkRepository(settings, environment, { repository, hubApi, signal });
  });
  yield found;
  const { repository } = known;
  if (hubApi === undefined || repository === undefined) yield skipped("forge", "the hub has its token");
  else yield check("forge", signal, () => checkForge(hubApi, repository, { settings, environment, signal }));
}

/** The options, completed by the Repository on the hub, such as its Secret. */
async function readRepository(
  hubApi: KubeApi | undefined,
  { settings, spec, signal }: CheckOptions,
): Promise<Repository | undefined> {
  const target = { namespace: settings.requiredText("namespace"), name: settings.requiredText("repository") };
  const live = (await hubApi?.get({ type: resourceTypes.repository, ...target }, { signal }).catch((error: unknown) => {
    // Without the definitions, or the right, only the options are known; other checks report both.
    if (spec !== undefined && isAppError(error, "E_KUBE_FORBIDDEN", "E_KUBE_NOT_FOUND")) return undefined;
    throw error;
  })) as Repository | undefined;
  if (spec === undefined) return live;
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata: target,
    spec: { ...live?.spec, ...spec },
  };
}
