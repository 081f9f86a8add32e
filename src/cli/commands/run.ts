import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { AppError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { startTimer } from "../../core/timer.ts";
import type { GitEngine } from "../../git/git.ts";
import type { KubeConnection } from "../../kube/connection.ts";
import type { KubeApi } from "../../kube/kube.ts";
import { watchLocalRepository } from "../../git/local/watch-local-repository.ts";
import type { Repository } from "../../model/generated/repository.ts";
import type { RunReport } from "../../reconcile/reconciler-options.ts";
import { checkHub } from "../../install/check-hub.ts";
import { connectHub, hubEndpoint } from "../../daemon/connect-hub.ts";
import { defaultCacheDir } from "../../system/cache-dir.ts";
import { installHub } from "../../install/install-hub.ts";
import { installProtocols, servedProtocols } from "../../daemon/foreign-protocols.ts";
import { namedWorkspaces } from "../../settings/named-workspaces.ts";
import type { Settings } from "../../settings/settings.ts";
import { pageAccess, readPageActions } from "../../daemon/page/page-access.ts";
import { createProgramLog } from "../../system/program-log.ts";
import { isColourful } from "../render/is-colourful.ts";
import { renderConfig } from "../../settings/print-config.ts";
import { gitBackend, openRepository } from "../../daemon/open-repository.ts";
import { isLocalPath } from "../../settings/read-path.ts";
import { readText } from "../../system/read-text.ts";
import type { CommandContext } from "./command-context.ts";
import { repositorySpec } from "./repository-spec.ts";
import { whenAborted } from "../../system/when-aborted.ts";
import { restoreFleet, restoreSettings } from "../../recovery/restore-fleet.ts";
import { createPageActions } from "../../daemon/page/page-actions.ts";
import type { Page } from "../../daemon/page/wire-page.ts";
import { createPage } from "../../daemon/page/wire-page.ts";
import type { RepositorySource } from "../../daemon/wire-repository.ts";
import { leadBefore } from "../../daemon/leadership.ts";
import { openOrWait } from "../../daemon/patient-engine.ts";
import { applyRepository, followRepository } from "../../daemon/wire-repository.ts";
import type { Daemon, DaemonOptions } from "../../daemon/wire-run.ts";
import { startDaemon } from "../../daemon/wire-run.ts";
import { accessOfFlags, accessOfRepository, forgeTokenOfFlags } from "../../daemon/wire-git.ts";
import { publishRemoval, publishTargets } from "../../daemon/wire-publish.ts";
import type { DaemonWeb } from "../../daemon/wire-web.ts";
import { parseAddress, startDaemonWeb } from "../../daemon/wire-web.ts";

/** `rollcall run`: the daemon, until it is stopped; with --once until the head of the branch was applied. */
export async function runDaemon(context: CommandContext): Promise<number> {
  const { settings, environment, signal } = context;
  if (settings.isOn("print-config")) return printConfig(context);
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
    const repository = await followRepository(hubApi, { namespace, name }, signal);
    followed.repository = repository;
    const page = createPage({ git, repository, log });
    const isNews = newsFilter();
    const reportRun = (report: RunReport, repositoryLog = log): void => {
      repositoryLog[isNews(report) ? "info" : "debug"]("run finished", { ...report });
      web?.noteRun(report);
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
      forgeToken: forgeTokenOfFlags(settings, spec.url),
      ...sopsProgram(settings, environment),
      ...(identity === undefined ? {} : { identity }),
      log,
      onRun: (report) => {
        reportRun(report);
        page.noteRun(report);
        first.note(report);
      },
      onPlan: (plan, outcomes) => page.notePlan(plan, outcomes),
      ...(workspaceLimit ? { workspaceLimit } : {}),
      ...furtherOf(settings, environment, (other, report) => reportRun(report, log.with({ repository: other }))),
      signal,
    });
    web?.attach(daemon, repository);
    const served = isOnce ? undefined : await servePage(page, daemon, { settings, hubApi, connection, namespace, log });
    const watching = isLocalPath(spec.url)
      ? watchLocalRepository(spec.url, (branches) => daemon.enqueue(branches), signal)
      : undefined;
    try {
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

function printConfig({ settings, stdout }: CommandContext): number {
  stdout.write(renderConfig(settings));
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
  const access = accessOfRepository({ hubApi, repository, environment, fallback });
  return openOrWait(url, () => openRepository(settings, url, environment, access), log);
}

/** The other Repository objects of the namespace, where the settings want them followed; not for a single run. */
export function furtherOf(
  settings: Settings,
  environment: CommandContext["environment"],
  onRun: NonNullable<DaemonOptions["further"]>["onRun"],
): Pick<DaemonOptions, "further"> {
  if (!settings.isOn("follow-repositories") || settings.isOn("once")) return {};
  const cacheDir = settings.text("cache-dir") ?? defaultCacheDir("repositories", environment);
  return { further: { except: settings.requiredText("repository"), cacheDir, backend: gitBackend(settings), onRun } };
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
  if (settings.isOn("install-crds")) await installHub(hubApi, namespace, signal, namedWorkspaces(settings));
  await installProtocols(hubApi, servedProtocols(settings), signal);
  await checkHub(hubApi, signal);
  if (!settings.isOn("restore")) return;
  const name = settings.requiredText("repository");
  const branch = settings.requiredText("write-back-branch");
  const restored = { hubApi, git, namespace, name, branch, ...restoreSettings(settings), log };
  const restore = (leading: AbortSignal): Promise<void> => restoreFleet({ ...restored, signal: leading });
  await leadBefore(restore, { hubApi, namespace, identity, log, signal });
}

/** Resolves with the first report that is noted. */
function firstReport(): { report: Promise<RunReport>; note: (report: RunReport) => void } {
  let resolveFirst: ((report: RunReport) => void) | undefined;
  const report = new Promise<RunReport>((resolve) => {
    resolveFirst = resolve;
  });
  return { report, note: (first) => resolveFirst?.(first) };
}

async function servePage(
  page: Page,
  daemon: Daemon,
  {
    settings,
    hubApi,
    connection,
    namespace,
    log,
  }: {
    readonly settings: Settings;
    readonly hubApi: KubeApi;
    readonly connection: KubeConnection;
    readonly namespace: string;
    readonly log: Log;
  },
): Promise<Awaited<ReturnType<Page["serve"]>> | undefined> {
  const address = settings.text("page-address");
  if (address === undefined) return undefined;
  const { host, port } = parseAddress(address, "page-address");
  const workspaces = (): readonly string[] => daemon.view.workspaces;
  const access = pageAccess(settings, { host, hubApi, daemonNamespace: namespace, workspaces });
  const name = settings.requiredText("repository");
  const actions = readPageActions(settings)
    ? createPageActions({ connection, repository: { namespace, name }, log })
    : undefined;
  return page.serve(daemon, { host, port, access, ...(actions ? { actions } : {}) });
}

/** The first run, and every one that saw or did something new, is worth a line. */
function newsFilter(): (report: RunReport) => boolean {
  let last: RunReport | undefined;
  return (report) => {
    const isNews =
      report.commit !== last?.commit ||
      report.isApplied !== last?.isApplied ||
      report.changeCount > 0 ||
      report.statusCommit !== report.statusCommitBefore ||
      report.failure !== undefined;
    last = report;
    return isNews;
  };
}

/** The Lease of a process that was killed ends within 12 s: who holds one for longer lives. */
const leadWithinMs = 15_000;

/** @throws E_OTHER_DAEMON where another process leads; what the run failed with */
async function finishOnce(
  reported: Promise<RunReport>,
  daemon: Pick<Daemon, "whenIdle" | "whenLeading" | "leads">,
  signal: AbortSignal,
): Promise<number> {
  await new Promise<void>((resolve) => {
    const cancel = startTimer(leadWithinMs, resolve);
    void Promise.race([daemon.whenLeading(), whenAborted(signal)]).then(() => (cancel(), resolve()));
  });
  if (signal.aborted) return 130;
  const missing = [...daemon.leads()].filter(([, isHeld]) => !isHeld).map(([lease]) => lease);
  if (missing.length > 0) {
    throw new AppError(
      "E_OTHER_DAEMON",
      `apply the head once: another process holds the Lease ${missing.join(" and ")}`,
    );
  }
  const report = await Promise.race([reported, whenAborted(signal).then(() => undefined)]);
  if (!report) return 130;
  await daemon.whenIdle();
  if (report.failure instanceof AppError) throw report.failure;
  return report.errorCount > 0 || report.withheldCount > 0 || report.failure !== undefined ? 1 : 0;
}

/** The sops program that the settings name. It gets the daemon's environment: its credentials are there. */
export function sopsProgram(
  settings: Settings,
  environment: Readonly<Record<string, string | undefined>>,
): Pick<DaemonOptions, "sopsProgram"> {
  const path = settings.text("sops-program");
  if (path === undefined) return {};
  const known = Object.entries(environment).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  const env = Object.fromEntries(known) as Record<string, string>;
  return { sopsProgram: { path, env, allowedOrigins: settings.list("sops-origins") ?? [] } };
}

async function readLines(path: string): Promise<string[]> {
  return (await readText(path)).split(/\r?\n/u).filter((line) => line !== "");
}
