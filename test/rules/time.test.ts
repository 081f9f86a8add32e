import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../src");

/**
 * Every file that asks the machine's clock, by what it does with the answer. A user may set that clock: it measures no
 * duration within one process. A file that is not listed uses `monotonicMs`, timers, or times that it is given.
 */
const wallClock: Readonly<Record<string, readonly string[]>> = {
  "writes or shows a moment": [
    "agent-process/wire-agent.ts",
    "agent/join-hub.ts",
    "agent/send-heartbeats.ts",
    "agent/write-report.ts",
    "cli/commands/add-cluster.ts",
    "cli/commands/bootstrap.ts",
    "cli/commands/describe.ts",
    "cli/commands/diff.ts",
    "cli/commands/events.ts",
    "cli/commands/explain-cluster.ts",
    "cli/commands/get.ts",
    "daemon/take-install-manifest.ts",
    "cli/commands/operate.ts",
    "cli/commands/plan.ts",
    "cli/commands/status-from-server.ts",
    "cli/commands/status.ts",
    "cli/commands/top.ts",
    "cli/commands/trust-replace.ts",
    "daemon/ask-leader.ts",
    "daemon/page/page-actions.ts",
    "daemon/page/page-reader.ts",
    "daemon/wire-verification.ts",
    "daemon/wire-web.ts",
    "demo/up-fleet-repository.ts",
    "embedded-hub/audit/audit-file.ts",
    "embedded-hub/audit/audit.ts",
    "embedded-hub/audit/request-audit.ts",
    "embedded-hub/controllers/event-recorder.ts",
    "embedded-hub/controllers/namespace-controller.ts",
    "embedded-hub/controllers/pod-collector.ts",
    "embedded-hub/crds/crd-controller.ts",
    "embedded-hub/http/exchange.ts",
    "embedded-hub/http/serve-watch-request.ts",
    "embedded-hub/http/shape-frames.ts",
    "embedded-hub/reviews/answer-with.ts",
    "embedded-hub/reviews/reviews.ts",
    "embedded-hub/verbs/delete-object.ts",
    "embedded-hub/verbs/hub-scope.ts",
    "embedded-hub/verbs/insert-object.ts",
    "embedded-hub/verbs/track-fields.ts",
    "embedded-hub/verbs/track-scale.ts",
    "embedded-node/container-log.ts",
    "embedded-node/event-writer.ts",
    "embedded-node/make-container-runner.ts",
    "embedded-node/node-presence.ts",
    "embedded-node/scheduler.ts",
    "hub/events.ts",
    "hub/groups.ts",
    "hub/issue-credential.ts",
    "hub/members/downstream.ts",
    "kube/kube-cache.ts",
    "kube/lease-holder.ts",
    "reconcile/follow-hub.ts",
    "reconcile/propose-admitted.ts",
    "reconcile/propose.ts",
    "system/line-log.ts",
    "system/real-clock.ts",
    "web/dashboard/api-routes.ts",
    "web/dashboard/fleet-recorder.ts",
    "system/pino-log.ts",
    "system/program-log.ts",
  ],
  "compares it with a moment that outlives the process": [
    "agent/credentials.ts",
    "agent/follow-report.ts",
    "agent/keep-reporting.ts",
    "agent/roll-out.ts",
    "cli/commands/join-address.ts",
    "daemon/hub-planner.ts",
    "daemon/wire-hub.ts",
    "daemon/wire-publish.ts",
    "embedded-hub/assemble-hub.ts",
    "embedded-hub/auth/authenticator.ts",
    "embedded-hub/auth/token-request.ts",
    "embedded-hub/controllers/bootstrap-token-cleaner.ts",
    "embedded-hub/controllers/certificate-cleaner.ts",
    "embedded-hub/controllers/certificate-signer.ts",
    "embedded-hub/controllers/deployment-parts.ts",
    "embedded-hub/controllers/disruption-controller.ts",
    "embedded-hub/controllers/event-expiry.ts",
    "embedded-hub/controllers/quota-controller.ts",
    "embedded-hub/controllers/replica-controller.ts",
    "embedded-hub/embedded-hub.ts",
    "embedded-hub/http/peers.ts",
    "embedded-hub/quotas/quota-ledger.ts",
    "embedded-node/container-runner.ts",
    "embedded-node/open-pod-log.ts",
    "embedded-node/pod-runner.ts",
    "embedded-node/pod-volumes.ts",
    "embedded-node/service-account-tokens.ts",
    "forge/forge-http.ts",
    "git/local/local-ref-update.ts",
    "hub/members/phases/schedule.ts",
    "hub/tokens.ts",
    "hub/watch-record.ts",
    "kube/plugin-credentials.ts",
    "publish/publish.ts",
    "publish/retire-secret.ts",
    "reconcile/count-removals.ts",
    "reconcile/write-repository-status.ts",
    "reconcile/write-status-branch.ts",
    "review/review.ts",
  ],
  "is handed another clock under this name: the function is called nowMs, and is monotonic, simulated or of the facts of the hub":
    [
      "hub/agent-waves.ts",
      "hub/health.ts",
      "hub/pending-admissions.ts",
      "hub/rehearsal/rehearsal-ports.ts",
      "hub/rehearsal/rehearse-changes.ts",
      "hub/rehearsal/rehearsed-turns.ts",
      "hub/rehearsal/simulated-hub.ts",
    ],
};

/** Durations by clocks that are never set. */
const otherClocks: readonly string[] = [
  "git/wire/http-transport.ts",
  "git/wire/take-turns.ts",
  "kube/send-request.ts",
  "system/real-clock.ts",
];

/** The timer, and the silence of sockets, which is of constant length. */
const timers: readonly string[] = ["core/timer.ts", "kube/https-transport.ts", "web/web.ts"];

/** How the simulator replaces a clock. */
const replacements: Readonly<Record<string, string>> = {
  "performance.now": 'defineProperty(performance, "now"',
  uptime: "assign(os, { uptime",
};
const clockNames = /\bperformance\.\w+|\bhrtime\b|\buptime\b/gu;

const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((entry) => entry.replaceAll("\\", "/"))
  // A browser has one clock, and nothing that is tested against it.
  .filter((file) => /\.tsx?$/u.test(file) && !file.startsWith("web/dashboard/browser/"));

const using = (pattern: RegExp): string[] =>
  sources.filter((file) => pattern.test(withoutComments(readFileSync(join(root, file), "utf8")))).sort();

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*.*?\*\//gsu, "").replaceAll(/^\s*\/\/.*$/gmu, "");
}

describe("time", () => {
  it("is asked of the machine's clock by the files that are listed, each once", () => {
    const listed = Object.values(wallClock).flat();
    expect(listed.filter((file, index) => listed.indexOf(file) !== index)).toEqual([]);
    expect(using(/\bnowMs\(\)|\bDate\.now\b|new Date\(\)/u).filter((file) => file !== "core/clock.ts")).toEqual(
      listed.toSorted(),
    );
  });

  it("is asked of the machine's other clocks by the files that are listed, and each of those clocks is simulated", () => {
    expect(using(/\bperformance\.|\bhrtime\b|\buptime\b/u)).toEqual(otherClocks);
    const simulated = readFileSync(resolve(root, "../test/simulation/platform.ts"), "utf8");
    const asked = otherClocks.flatMap((file) => readFileSync(join(root, file), "utf8").match(clockNames) ?? []);
    for (const name of new Set(asked)) expect(simulated).toContain(replacements[name]);
  });

  it("is waited for by one timer, which takes any duration", () => {
    expect(using(/\bset(?:Timeout|Interval)\(|AbortSignal\.timeout/u)).toEqual(timers);
  });
});
