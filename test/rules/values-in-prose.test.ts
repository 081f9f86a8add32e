import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { watchedTypes } from "../../src/hub/watched-types.ts";
import { rollcallProtocol } from "../../src/join/rollcall/hub/rollcall-protocol.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** The number that `name` has in a file of `src`: a constant, a default or a field, written as digits or a product. */
function valueIn(file: string, name: string): number {
  const pattern = new RegExp(`\\b${name}(?:: [\\w ]+)? ?[=:] ?([\\d_]+(?: [*/] [\\d_]+)*)`, "u");
  const [, written] = pattern.exec(read(`src/${file}`)) ?? [];
  if (written === undefined) throw new Error(`src/${file} has no number ${name}`);
  return written
    .replaceAll("_", "")
    .split(" * ")
    .reduce((product, factor) => {
      const [counter = "", divisor = "1"] = factor.split(" / ");
      return (product * Number(counter)) / Number(divisor);
    }, 1);
}

/** A value of a schema, such as a default, by its path. */
function ofSchema(file: string, ...path: readonly string[]): string {
  const value = path.reduce<unknown>(
    (node, key) => (node as Readonly<Record<string, unknown>> | undefined)?.[key],
    JSON.parse(read(`schemas/${file}`)),
  );
  if (typeof value !== "number" && typeof value !== "string")
    throw new Error(`schemas/${file} has no ${path.join(".")}`);
  return String(value);
}

/** What a file of `src` has at the first group of the pattern. */
function textIn(file: string, pattern: RegExp): string {
  const [, text] = pattern.exec(read(`src/${file}`)) ?? [];
  if (text === undefined) throw new Error(`src/${file} has no ${pattern.source}`);
  return text;
}

const words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const inWords = (value: number): string => words[value] ?? (value === 15 ? "fifteen" : value === 20 ? "twenty" : "");
const grouped = (value: number): string => value.toLocaleString("en-US");
const minutes = (ms: number): number => ms / 60_000;
const seconds = (ms: number): number => ms / 1000;
const mebibytes = (bytes: number): number => bytes / 1024 / 1024;

const budget = "fragments/deletion-budget.schema.json";
const rollout = "fragments/agent-rollout.schema.json";
const history = ["properties", "spec", "properties", "writeBack", "properties", "history"];
const fights = "planning/field-fights.ts";
const limits = "policy/policy-limits.ts";
const records = "daemon/page/page-records.ts";
const reviews = "reconcile/review-pull-requests.ts";
const watches = "embedded-hub/http/watch-backlogs.ts";
const queue = "embedded-hub/http/request-queue.ts";
const bounds = "embedded-hub/verbs/object-bounds.ts";
const compaction = "embedded-hub/store/compaction.ts";
const ofDefault = (file: string, name: string): string => ofSchema(file, "properties", name, "default");
const lifeHours = valueIn("model/dialects/rollcall.ts", "workingLifeSeconds") / 3600;
const deletionMinutes = minutes(valueIn("hub/members/run-offboarding-steps.ts", "deletionTimeoutMs"));

/** Sentences of pages with numbers that nothing generates: the page, and its words with the number that the source has. */
const sentences: readonly (readonly [page: string, text: string])[] = [
  [
    "plan.md",
    `${ofDefault(budget, "percent")} % of the clusters that it owned before, at least ${ofDefault(budget, "minimum")} and at most ${ofDefault(budget, "maximum")}.`,
  ],
  ["plan.md", `the newest ${valueIn("review/read-approvals.ts", "mostEarlier")} count`],
  ["plan.md", `Of more than ${valueIn("planning/approvals.ts", "mostApprovals")} approvals`],
  ["plan.md", `changes after the ${valueIn("daemon/repository-unit.ts", "mostRehearsed")}th`],
  ["plan.md", `older than ${minutes(valueIn("review/plan-against-records.ts", "staleAfterMs"))} minutes`],

  ["life-of-a-cluster.md", `the hub retries for ${deletionMinutes} minutes`],
  [
    "life-of-a-cluster.md",
    `retries for ${inWords(minutes(valueIn("hub/members/run-offboarding-steps.ts", "revokedTimeoutMs")))} minute at most`,
  ],
  ["troubleshooting.md", `is tried for ${deletionMinutes} minutes`],
  ["life-of-a-cluster.md", `waits for ${minutes(valueIn("join/placed-steps.ts", "placedRemovalMs"))} minutes at most`],
  [
    "life-of-a-cluster.md",
    `next heartbeat, and at least ${seconds(valueIn("join/fleet/hub/offboarding-steps.ts", "removalMs"))} seconds`,
  ],
  [
    "life-of-a-cluster.md",
    `After ${inWords(valueIn(fights, "fightReverts"))} reverts to the same value, less than ${inWords(minutes(valueIn(fights, "windowMs")))} minutes apart`,
  ],
  [
    "life-of-a-cluster.md",
    `waits ${seconds(valueIn(fights, "firstDelayMs"))} seconds before it reverts the field again, and twice as long after each further revert, up to ${minutes(valueIn(fights, "longestDelayMs"))} minutes`,
  ],
  [
    "life-of-a-cluster.md",
    `${inWords(valueIn("reconcile/commit-limit.ts", "commitsPerMinute"))} times a minute at most, ${valueIn("reconcile/commit-limit.ts", "documentsAtMost")} documents in a commit`,
  ],
  [
    "life-of-a-cluster.md",
    `committed ${inWords(valueIn("reconcile/commit-limit.ts", "turnsAtMost"))} times within ${inWords(minutes(valueIn("reconcile/commit-limit.ts", "turnsMs")))} minutes`,
  ],
  [
    "life-of-a-cluster.md",
    `At most ${valueIn("reconcile/hub-branches.ts", "openAtMost")} branches of a workspace are open`,
  ],
  [
    "life-of-a-cluster.md",
    `${seconds(valueIn("reconcile/hub-deletions.ts", "quietMs"))} seconds later the removal is committed`,
  ],
  ["life-of-a-cluster.md", `first ${inWords(valueIn("planning/status-records.ts", "recordedHubObjects"))} of them`],
  ["life-of-a-cluster.md", `(default: ${ofDefault(rollout, "maxUnavailable").replace("%", " %")}, at least one)`],
  ["life-of-a-cluster.md", `(default: ${ofDefault(rollout, "maxFailures")}) have refused a version`],

  ["operations.md", `has a successor within ${seconds(valueIn("daemon/leadership.ts", "bothWithinMs"))} s`],
  [
    "operations.md",
    `good for one GET within ${minutes(valueIn("model/install-address.ts", "installValidMs"))} minutes`,
  ],
  ["operations.md", `same Event at most once in ${inWords(minutes(valueIn("hub/events.ts", "repeatMs")))} minutes`],
  [
    "operations.md",
    `at most ${inWords(valueIn("hub/events.ts", "ratePerSecond"))} Events a second on average, and at most ${valueIn("hub/events.ts", "burst")} at once`,
  ],
  [
    "operations.md",
    `of one object at most ${inWords(valueIn("hub/events.ts", "mostAMinute"))} a minute, and ${valueIn("hub/events.ts", "mostAtOnce")} at once`,
  ],
  ["operations.md", `publishes the newest ${inWords(valueIn("join/rollcall/trust-chain.ts", "mostReplacements"))}`],
  [
    "operations.md",
    `(${ofSchema("repository.schema.json", ...history, "minimum")} to ${ofSchema("repository.schema.json", ...history, "maximum")})`,
  ],
  ["operations.md", `(${(lifeHours * 2) / 3} of ${lifeHours} hours)`],
  ["operations.md", `of version 1.${valueIn("install/check-hub.ts", "oldestMinor")} or later`],
  ["faq.md", `1.${valueIn("install/check-hub.ts", "oldestMinor")} or later`],

  [
    "policies.md",
    `each evaluation may cost ${grouped(valueIn(limits, "unitsPerEvaluation"))} units of CEL's cost model, and all of them together ${grouped(valueIn(limits, "units"))} and ${grouped(valueIn(limits, "unitsPerDocument"))} for each document, ${grouped(valueIn(limits, "mostUnits"))} at most`,
  ],
  ["policies.md", `together may have ${grouped(valueIn(limits, "expressionCharacters"))} characters`],
  ["policies.md", `may be nested ${valueIn("cel/parse.ts", "maximumDepth")} deep`],

  [
    "page.md",
    `at most ${valueIn("daemon/page/status-commits.ts", "mostStatusCommits")} commits, ${valueIn(records, "mostEntries")} entries of a timeline, ${valueIn(records, "mostClusters")} clusters of a comparison, ${valueIn(records, "mostRecordBytes") / 1024} KiB of a record, and for ${seconds(valueIn(records, "answerMs"))} seconds an answer`,
  ],

  ["forges.md", `makes ${inWords(valueIn(reviews, "plansAtOnce"))} plans in one round`],
  ["forges.md", `at the earliest ${inWords(minutes(valueIn(reviews, "renewAfterMs")))} minutes after the last one`],
  ["forges.md", `At most ${valueIn("reconcile/proposals.ts", "openAtMost")} requests are open for a token`],
  ["forges.md", `at most ${valueIn("reconcile/admitted-clusters.ts", "openAtMost")} at a time`],

  [
    "publishing.md",
    `(${textIn("settings/options.ts", /"publish-removal-timeout",[\s\S]*?"(\d+)m",/u)} minutes by default)`,
  ],
  ["publishing.md", `names up to ${inWords(valueIn("publish/published-condition.ts", "mostNamed"))} objects`],

  ["protocols/fleet.md", `The period is ${valueIn("model/dialects/fleet.ts", "fleetHeartbeatSeconds")} s`],
  ["protocols/fleet.md", `For ${minutes(valueIn("model/dialects/fleet.ts", "fleetAnswerLifeMs"))} minutes`],
  [
    "protocols/fleet.md",
    `${inWords(minutes(valueIn("join/fleet/hub/offboarding-steps.ts", "longestWatchMs")))} minutes later`,
  ],
  [
    "protocols/fleet.md",
    `rancher/fleet-agent:${textIn("join/fleet/manifests/agent-deployment.ts", /defaultVersion = "(.*?)"/u)}`,
  ],
  [
    "protocols/kubefleet.md",
    `every ${inWords(minutes(valueIn("join/kubefleet/hub/mirror.ts", "mirrorIntervalMs")))} minutes`,
  ],
  [
    "protocols/kubefleet.md",
    `waits for ${inWords(minutes(valueIn("model/dialects/kubefleet.ts", "kubefleetOffboardingWaitMs")))} minutes`,
  ],
  ["protocols/kubefleet.md", `retries every ${seconds(valueIn("hub/members/phases/schedule.ts", "installRetryMs"))} s`],
  [
    "protocols/clusternet.md",
    `name has at most ${valueIn("model/dialects/clusternet.ts", "clusternetMaxName")} characters`,
  ],
  [
    "protocols/clusternet.md",
    `for ${inWords(minutes(valueIn("model/dialects/clusternet.ts", "clusternetAnswerLifeMs")))} minutes after the answer`,
  ],

  ["scale.md", `sends a heartbeat every ${valueIn("model/dialects/rollcall.ts", "defaultHeartbeatSeconds")} s`],
  ["scale.md", `at ${grouped(valueIn("manifests/select-files.ts", "maxFiles"))} files`],
  ["scale.md", `${watchedTypes([rollcallProtocol]).length} for each workspace, and 2`],
  ["api-calls.md", `has ${watchedTypes([rollcallProtocol]).length} watches in each workspace and two others`],

  ["embedded-hub.md", `${grouped(valueIn(watches, "perConnection"))}, ${grouped(valueIn(watches, "perUser"))}`],
  [
    "embedded-hub.md",
    `${mebibytes(valueIn(watches, "watchBytes"))} MiB, ${mebibytes(valueIn(watches, "connectionBytes"))} MiB, ${mebibytes(valueIn(watches, "userBytes"))} MiB`,
  ],
  [
    "embedded-hub.md",
    `${grouped(valueIn(watches, "userSelectorCharacters"))}, ${grouped(valueIn(watches, "totalSelectorCharacters"))}`,
  ],
  [
    "embedded-hub.md",
    `requests in flight of one user, of all | ${valueIn(queue, "perUser")}, ${valueIn(queue, "inAll")}`,
  ],
  [
    "embedded-hub.md",
    `${grouped(valueIn(bounds, "mostValues"))} each; ${grouped(valueIn(bounds, "mostDefinitionValues"))} of a definition`,
  ],
  [
    "embedded-hub.md",
    `at most ${grouped(valueIn(compaction, "maximumEvents"))} events and ${mebibytes(valueIn(compaction, "maximumBytes"))} MiB`,
  ],
];

describe("numbers in prose", () => {
  it.each(sentences)("%s: %s", (page, text) => {
    expect(read(`docs/${page}`).replaceAll(/\s+/gu, " ")).toContain(text);
  });
});
