import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Log } from "../../core/log.ts";
import type { GitEngine } from "../../git/git.ts";
import type { KubeApi } from "../../kube/kube.ts";
import { watchLocalRepository } from "../../git/local/watch-local-repository.ts";
import type { Repository } from "../../model/generated/repository.ts";
import type { RunReport } from "../../reconcile/reconciler-options.ts";
import { checkDefinitions, checkHubVersion } from "../../install/check-hub.ts";
import { checkOptions } from "../../daemon/check/check-options.ts";
import { connectHub, hubEndpoint } from "../../daemon/connect-hub.ts";
import { installHub } from "../../install/install-hub.ts";
import { installBesideExternal, installProtocols, servedProtocols } from "../../daemon/foreign-protocols.ts";
import { namedWorkspaces } from "../../settings/named-workspaces.ts";
import type { Settings } from "../../settings/settings.ts";
import { createProgramLog } from "../../system/program-log.ts";
import { isColourful } from "../render/is-colourful.ts";
import { renderConfig } from "../../settings/print-config.ts";
import { openRepository } from "../../daemon/open-repository.ts";
import { isLocalPath } from "../../settings/read-path.ts";
import { readText } from "../../system/read-text.ts";
import type { CommandContext } from "./command-context.ts";
import { repositorySpec } from "./repository-spec.ts";
import { finishOnce, firstReport } from "./run-once.ts";
import { furtherOf, sopsProgram } from "./run-options.ts";
import { servePage } from "./run-page.ts";
import { whenAborted } from "../../system/when-aborted.ts";
import { restoreFleet, restoreSettings } from "../../recovery/restore-fleet.ts";
import { createPage } from "../../daemon/page/wire-page.ts";
import type { RepositorySource } from "../../daemon/known-repository.ts";
import { leadBefore } from "../../daemon/leadership.ts";
import { openOrWait } from "../../daemon/patient-engine.ts";
import { applyRepository, followRepository } from "../../daemon/wire-repository.ts";
import type { Daemon } from "../../daemon/wire-run.ts";
import { logRuns } from "../../daemon/log-runs.ts";
import { startDaemon } from "../../daemon/wire-run.ts";
import { accessOfFlags, accessOfRepository, forgeAccessOfFlags } from "../../daemon/wire-git.ts";
import { publishRemoval, publishTargets } from "../../daemon/wire-publish.ts";
import type { DaemonWeb } from "../../daemon/wire-web.ts";
import { startDaemonWeb } from "../../daemon/wire-web.ts";

/** `rollcall run`: the daemon, until it is stopped; with --once until the head of the branch was applied. */
export async function runDaemon(context: CommandContext): Promise<number> {
  const { settings, environment, signal } = context;
  if (settings.isOn("print-config")) return printConfig(context);
  // What cannot be served must not be found when the fleet was changed already.
  checkOptions(settings);
  const log = createProgramLog({
    level: settings.text("log-level") ?? "info",
    format: settings.text("log-format") ?? "auto",
    isColour: isColourful(context.stdout, context.environment),
    stdout: context.stdout,
  });
  const { hubApi, connection } = await connectHub(settings, environment);
  const namespace = settings.requiredText("namespace");
  const name = settings.requiredText("repository");
  const spec = repositorySpec(settings);
  const isOnce = settings.isOn("once");
  const isElected = settings.isOn("leader-election");
  const identity = isElected ? (settings.text("identity") ?? `${hostname()}-${randomUUID().slice(0, 8)}`) : undefined;
  const followed: { repository?: RepositorySource } = {};
  const git = await openGit(context, { hubApi, url: spec.url, repository: () => followed.repository?.read(), log });
  const web = await startWeb(settings, hubApi, log);
  try {
    await prepareHub({ settings, hubApi, git, identity, log, signal });
    // What the hub refuses is refused now; the leader writes it.
    await applyRepository(hubApi, { namespace, name }, spec, { signal, isDryRun: true });
    const repository = await followRepository(hubApi, { namespace, name }, signal, log);
    followed.repository = repository;
    const page = createPage({ git, repository, log });
    const logRun = logRuns(log);
    const reportRun = (report: RunReport, further?: string): void => {
      logRun(report, further);
      web?.recordRun(report);
    };
    const workspaceLimit = settings.list("workspaces");
    const first = firstReport();
    const daemon = await startDaemon({
      hubApi,
      git,
      repository,
      settings: { name, spec },
      namespace,
      endpoint: await hubEndpoint(settings, connection),
      agentImage: settings.requiredText("agent-image"),
      serves: servedProtocols(settings),
      publish: { targets: publishTargets(settings), removal: publishRemoval(settings) },
      environment,
      forgeFlags: forgeAccessOfFlags(settings, spec.url),
      ...sopsProgram(settings, environment),
      ...(identity === undefined ? {} : { identity }),
      log,
      onRun: (report) => {
        reportRun(report);
        page.recordRun(report);
        first.record(report);
      },
      onPlan: (plan, outcomes) => page.recordPlan(plan, outcomes),
      ...(workspaceLimit ? { workspaceLimit } : {}),
      ...furtherOf(settings, environment, (other, report) => reportRun(report, other)),
      signal,
    });
    web?.attach(daemon, repository);
    let served: Awaited<ReturnType<typeof servePage>>;
    let watching: Promise<void> | undefined;
    try {
      if (!isOnce) served = await servePage(page, daemon, { settings, hubApi, connection, namespace, log });
      watching = watchFolder(spec.url, daemon, signal);
      if (isOnce) return await finishOnce(first.report, daemon, signal);
      await whenAborted(signal);
      return 0;
    } finally {
      await served?.close();
      await daemon.stop();
      await watching;
    }
  } finally {
    await web?.close();
    await git.close();
    await hubApi.close();
  }
}

/** A repository in a folder of this machine is watched. */
function watchFolder(url: string, daemon: Pick<Daemon, "enqueue">, signal: AbortSignal): Promise<void> | undefined {
  return isLocalPath(url) ? watchLocalRepository(url, (branches) => daemon.enqueue(branches), signal) : undefined;
}

/** What a start would refuse is reported below the settings, which name where each value comes from. */
function printConfig({ settings, stdout }: CommandContext): number {
  stdout.write(renderConfig(settings));
  checkOptions(settings);
  return 0;
}

/** Access is by what the Repository names; while there is none, by the flags. */
async function openGit(
  { settings, environment }: CommandContext,
  {
    hubApi,
    url,
    repository,
    log,
  }: {
    readonly hubApi: KubeApi;
    readonly url: string;
    readonly repository: () => Repository | undefined;
    readonly log: Log;
  },
): Promise<GitEngine> {
  const fallback = accessOfFlags(settings, url, environment);
  const access = accessOfRepository({ hubApi, url, repository, environment, fallback });
  return openOrWait(url, () => openRepository(settings, url, environment, access), log);
}

/** Health, metrics and webhooks; undefined where no address is set. */
async function startWeb(settings: Settings, hubApi: KubeApi, log: Log): Promise<DaemonWeb | undefined> {
  const address = settings.text("metrics-address");
  if (address === undefined) return undefined;
  const webhookFile = settings.text("webhook-secret-file");
  const webhookSecrets = webhookFile === undefined ? {} : { webhookSecrets: () => readLines(webhookFile) };
  const isServingInstalls = settings.isOn("serve-install-manifests");
  return startDaemonWeb({ address, hubApi, log, isServingInstalls, ...webhookSecrets });
}

/** What the settings want on the hub before the daemon starts: definitions, protocols, a restored fleet. */
async function prepareHub({
  settings,
  hubApi,
  git,
  identity,
  log,
  signal,
}: {
  readonly settings: Settings;
  readonly hubApi: KubeApi;
  readonly git: GitEngine;
  readonly identity: string | undefined;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<void> {
  const namespace = settings.requiredText("namespace");
  await checkHubVersion(hubApi, signal);
  const served = servedProtocols(settings);
  if (settings.isOn("install-crds")) {
    await installHub(hubApi, namespace, signal, namedWorkspaces(settings));
    await installBesideExternal(hubApi, served, signal);
  }
  await installProtocols(hubApi, served, signal);
  await checkDefinitions(hubApi, signal);
  if (!settings.isOn("restore")) return;
  const name = settings.requiredText("repository");
  const branch = settings.requiredText("write-back-branch");
  const restored = { hubApi, git, namespace, name, branch, ...restoreSettings(settings), log };
  const restore = (leading: AbortSignal): Promise<void> => restoreFleet({ ...restored, signal: leading });
  await leadBefore(restore, { hubApi, namespace, identity, log, signal });
}

async function readLines(path: string): Promise<string[]> {
  return (await readText(path)).split(/\r?\n/u).filter((line) => line !== "");
}
