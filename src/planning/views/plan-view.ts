import { largestOf } from "../../core/extremes.ts";
import { compact } from "../../core/compact.ts";
import { compareNames } from "../../core/compare-names.ts";
import type {
  AgentRollout,
  ChangeView,
  CommitSummary,
  FieldView,
  FileProblem,
  HeldDeleteView,
  HubWorkView,
  PlanView,
  RemovalView,
} from "../../model/generated/page-api.ts";
import type { AgentRoll } from "../../model/generated/plan-report.ts";
import type { ObjectRef } from "../../model/kubernetes.ts";
import { describeRef } from "../../model/kubernetes.ts";
import type {
  FieldChange,
  HeldDelete,
  HubWork,
  HubWorkPlan,
  Plan,
  PlannedChange,
  Removal,
  WithheldRemoval,
} from "../../model/plan.ts";
import type { Problem } from "../../model/problem.ts";
import type { ForgeLinks } from "./forge-links.ts";
import { maskField } from "../mask-values.ts";
import { agentsByWave, explainHold } from "../plan-words.ts";
import { describeHubWork } from "../review-hub-work.ts";
import { boundNotes, isOwn, planNotes } from "../review-plan.ts";
import { boundFields, showChange } from "../show-values.ts";
import { sourceView } from "./source-view.ts";

const mostChanges = 500;
/** Labels and annotations of one object; all other fields are shown. */
const mostFields = 50;
const mostNamed = 100;
const mostProblems = 200;
const mostWaves = 50;
const mostAgents = 20;
const longestValue = 300;

/** A plan as a page shows it: removals come first. */
export function planView(
  plan: Plan,
  context: {
    readonly links: ForgeLinks;
    readonly branch?: string;
    readonly commit?: CommitSummary;
    /** What lets withheld removals through. */
    readonly advice?: string;
    /** Agents that are rolled out anew, with their waves. Default none. */
    readonly agents?: readonly AgentRoll[];
    /** What the hub's controllers do after each change. Default: nothing is shown of it. */
    readonly hubWork?: HubWorkPlan;
    /** What a reader should know first. Default: nothing. */
    readonly notes?: readonly string[];
  },
): PlanView {
  const { links, branch, commit, advice, agents = [], hubWork } = context;
  const count = (kind: PlannedChange["kind"]): number => plan.changes.filter((change) => change.kind === kind).length;
  const sorted = [...plan.changes].sort((a, b) => rankOf(a) - rankOf(b));
  const withheld = plan.withheld.filter(isOwn);
  const heldDeletes = plan.heldDeletes.filter(isOwn);
  const waiting = waitingOnBase(plan);
  return compact({
    branch,
    commit,
    counts: { create: count("create"), update: count("update"), delete: count("delete"), leave: count("leave") },
    changes: sorted.slice(0, mostChanges).map((change) =>
      compact({
        ...changeView(change, { links, commit: plan.commit }),
        hubWork: hubWorkView(hubWork?.work.get(describeRef(change.ref))),
      }),
    ),
    changeCount: plan.changes.length,
    removals: byCluster(plan.removals).slice(0, mostChanges).map(removalView),
    removalCount: plan.removals.length,
    withheld: byCluster(withheld).slice(0, mostChanges).map(removalView),
    withheldCount: withheld.length,
    heldDeletes: byObject(heldDeletes.map(heldDeleteView)).slice(0, mostChanges),
    heldDeleteCount: heldDeletes.length,
    waitingOnBase: waiting.slice(0, mostChanges),
    waitingOnBaseCount: waiting.length,
    agents: agentRollout(agents),
    advice,
    notes: [...(context.notes ?? []), ...planNotes(plan), ...boundNotes(hubWork?.notes ?? [])],
    problems: plan.problems
      .slice(0, mostProblems)
      .map((problem) => problemView(problem, { links, commit: plan.commit })),
  });
}

/** What follows from a change: a sentence, and the objects by name. */
function hubWorkView(work: HubWork | undefined): HubWorkView | undefined {
  if (work === undefined) return undefined;
  const { creates, updates, deletes, credentials, steps } = work;
  const named = (refs: readonly ObjectRef[]): string[] => refs.slice(0, mostNamed).map(describeRef);
  return compact({
    effect: describeHubWork(work),
    creates: named(creates),
    updates: named(updates),
    deletes: named(deletes),
    objectCount: creates.length + updates.length + deletes.length,
    credentials: credentials.map((credential) => ({ ...credential })),
    steps: [...steps],
  });
}

function rankOf({ kind }: PlannedChange): number {
  return ["leave", "delete", "create", "update"].indexOf(kind);
}

/** One write. What Secrets hold is never shown, not even which keys change. */
export function changeView(
  change: PlannedChange,
  {
    links,
    commit,
    error,
  }: { readonly links: ForgeLinks; readonly commit: string | undefined; readonly error?: string },
): ChangeView {
  const object = describeRef(change.ref);
  if (change.kind === "delete" || change.kind === "leave")
    return compact({ kind: change.kind, object, reason: change.reason, fields: [], error });
  const isShown = change.ref.type.kind !== "Secret";
  const annotations = Object.entries(change.patchAnnotations ?? {}).map(([key, value]) =>
    compact({ path: `metadata.annotations.${key}`, to: value ?? undefined }),
  );
  const fields = [...(isShown ? change.fields.map(fieldView) : []), ...annotations];
  const { shown, left } = boundFields(fields, mostFields);
  return compact({
    kind: change.kind,
    object,
    fields: [...shown],
    fieldsLeft: left > 0 ? left : undefined,
    source: change.source && sourceView({ file: change.source.file, line: change.source.line, commit }, links),
    error,
  });
}

function fieldView(field: FieldChange): FieldView {
  const { path, from, to, isHidden } = maskField(field);
  return compact({ path, ...showChange({ from: textOf(from), to: textOf(to) }, longestValue), isHidden });
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function removalView(removal: Removal | WithheldRemoval): RemovalView {
  const { kind, cluster, reason } = removal;
  if (!("because" in removal)) return { kind, cluster, reason };
  return { kind, cluster, reason, because: removal.because, waits: explainHold(removal.because) };
}

function heldDeleteView({ ref, because, reason }: HeldDelete): HeldDeleteView {
  return { object: describeRef(ref), reason, because, waits: explainHold(because) };
}

function waitingOnBase({ withheld, heldDeletes }: Plan): HeldDeleteView[] {
  const clusters = withheld
    .filter((removal) => !isOwn(removal))
    .map(({ cluster, reason, because }) => ({
      object: `Cluster/${cluster}`,
      reason,
      because,
      waits: explainHold(because),
    }));
  const others = heldDeletes.filter((held) => !isOwn(held)).map(heldDeleteView);
  return byObject([...clusters, ...others]);
}

/** A hub lists what is removed in an order of its own: which of them a page leaves out is the same each time. */
function byCluster<T extends Removal>(removals: readonly T[]): T[] {
  return removals.toSorted((a, b) => compareNames(a.cluster, b.cluster));
}

function byObject(held: readonly HeldDeleteView[]): HeldDeleteView[] {
  return held.toSorted((a, b) => compareNames(a.object, b.object));
}

function agentRollout(agents: readonly AgentRoll[]): AgentRollout {
  const waves = [...agentsByWave(agents)].map(([wave = 0, rolled]) => ({ wave, rolled }));
  return {
    count: agents.length,
    atOnce: largestOf(
      waves.map(({ rolled }) => rolled.length),
      0,
    ),
    waves: waves.slice(0, mostWaves).map(({ wave, rolled }) => ({
      wave,
      count: rolled.length,
      agents: rolled.slice(0, mostAgents).map(({ cluster, from, to }) => compact({ cluster, from, to })),
    })),
    waveCount: waves.length,
  };
}

export function problemView(
  { code, severity, file, line, message }: Omit<Problem, "code" | "column"> & { readonly code: string },
  { links, commit }: { readonly links: ForgeLinks; readonly commit: string | undefined },
): FileProblem {
  return compact({ code, severity, file, line, message, link: links.file(file, { commit, line }) });
}
