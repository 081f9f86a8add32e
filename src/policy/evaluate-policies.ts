// policy: CEL rules of a repository's Policy documents over its other documents; the same function at review and at
// reconcile. Nothing here does I/O, and nothing depends on the clock.
import { appendAll } from "../core/append-all.ts";
import { countOf } from "../core/count-of.ts";
import type { PathPatterns } from "../core/path-patterns.ts";
import { compilePaths } from "../core/path-patterns.ts";
import type { Declared } from "../model/declared-fleet.ts";
import type { Policy, PolicyRule } from "../model/generated/policy.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { Problem } from "../model/problem.ts";
import { compareProblems } from "../model/problem.ts";
import type { SourcePosition } from "../model/source.ts";
import type { PolicyLimits } from "./policy-limits.ts";
import { defaultPolicyLimits } from "./policy-limits.ts";
import { visibleDocument } from "./visible-document.ts";
import type { Rule, RuleCompiler, RuleInput, RuleOutcome } from "./compile-rule.ts";
import { compileRule } from "./compile-rule.ts";

/** A document that policies are asked about. */
export interface PolicySubject {
  readonly object: KubeObject;
  /** The document of the same name in the last applied commit; absent for a new one. */
  readonly oldObject?: KubeObject;
  readonly position: SourcePosition;
  /** The namespace whose policies apply. Default: that of its metadata. */
  readonly workspace?: string;
}

export interface PolicyOptions {
  /** As Repository.spec.policies: `Warn` makes every violation a warning. Default `Enforce`. */
  readonly mode?: "Enforce" | "Warn";
  /** The position of a value within a policy. Default: that of the policy. */
  readonly locate?: (policy: Declared<Policy>, path: readonly (string | number)[]) => SourcePosition;
  readonly limits?: Partial<PolicyLimits>;
  /** Called with each subject for which a rule was stopped whose violation is an error: whether it keeps the rule is unknown. */
  readonly onUnchecked?: (subject: PolicySubject) => void;
}

/**
 * The problems of `policies` themselves (E_POLICY_EXPRESSION, at the rule's expression) and of `subjects` that break
 * them (E_POLICY, or W_POLICY for a warning, at the document), sorted: ten of each for a document, and how many more there
 * are. A rule that has no value for a document is broken by it. A rule that costs too much is stopped, reported at its own
 * position, and not asked again. Never throws.
 */
export function evaluatePolicies(
  policies: readonly Declared<Policy>[],
  subjects: readonly PolicySubject[],
  options: PolicyOptions = {},
): Problem[] {
  const slices = evaluateInSlices(policies, subjects, options);
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

/** The same; `pause` is awaited after each slice of some 20 ms, so that the event loop runs other work. */
export async function evaluatePoliciesInSlices(
  policies: readonly Declared<Policy>[],
  subjects: readonly PolicySubject[],
  options: PolicyOptions & { readonly pause: () => Promise<void> },
): Promise<Problem[]> {
  const slices = evaluateInSlices(policies, subjects, options);
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
    await options.pause();
  }
}

const unitsPerSlice = 50_000;
/** Of a rule that is asked, besides what it computes. */
const unitsPerQuestion = 2;
/** Of matching a path. */
const stepsPerUnit = 20;
/** Policies that are read and do not apply. */
const readsPerUnit = 5;
/** Broken rules of one document that are reported one by one, errors and warnings each. */
const mostViolations = 10;

function* evaluateInSlices(
  policies: readonly Declared<Policy>[],
  subjects: readonly PolicySubject[],
  options: PolicyOptions,
): Generator<void, Problem[]> {
  const limits = { ...defaultPolicyLimits, ...options.limits };
  const compiler = boundCompiler(compileRule, limits.expressionCharacters);
  const compiled: CompiledPolicy[] = [];
  for (const policy of policies) {
    compiled.push(compilePolicy(policy, compiler, options));
    yield;
  }
  const problems = compiled.flatMap((policy) => policy.problems);
  let running = compiled.filter(({ rules }) => rules.length > 0);
  const meter: Meter = { unitsLeft: unitsOf(limits, subjects.length), unitsInSlice: 0 };
  const isBlocking = ({ rule }: RunningRule): boolean => !isWarningOf(rule, options);
  let isNoneChecked = false;
  for (const subject of subjects) {
    let input: RuleInput | undefined;
    let isAnyStopped = false;
    let isUnchecked = isNoneChecked;
    const violations = collectViolations(subject, options);
    for (const policy of running) {
      meter.unitsLeft -= 1 / readsPerUnit;
      meter.unitsInSlice += 1;
      if (isSliceOver(meter)) yield;
      if (!appliesTo(policy, subject, meter)) continue;
      for (const rule of policy.rules) {
        if (rule.isStopped) {
          isUnchecked ||= isBlocking(rule);
          continue;
        }
        input ??= inputOf(subject, meter);
        const outcome = evaluateRule(rule, input, { meter, limits });
        if (isSliceOver(meter)) yield;
        if (outcome.kind === "stopped") {
          rule.isStopped = true;
          isAnyStopped = true;
          isUnchecked ||= isBlocking(rule);
          problems.push(tooExpensive(rule, subject));
        } else if (outcome.kind !== "good") {
          violations.add(rule, outcome);
        }
      }
    }
    appendAll(problems, violations.problems());
    if (isUnchecked) options.onUnchecked?.(subject);
    if (!isAnyStopped) continue;
    // With nothing left to spend, it is not asked which documents they are for.
    if (meter.unitsLeft <= 0)
      isNoneChecked ||= running.some(({ rules }) => rules.some((rule) => rule.isStopped && isBlocking(rule)));
    running = running.filter(({ rules }) =>
      rules.some((rule) => !rule.isStopped || (isBlocking(rule) && meter.unitsLeft > 0)),
    );
  }
  return problems.sort(compareProblems);
}

function unitsOf({ units, unitsPerDocument, mostUnits }: PolicyLimits, documents: number): number {
  return Math.min(units + unitsPerDocument * documents, mostUnits);
}

/** What is left of the limits. */
interface Meter {
  unitsLeft: number;
  unitsInSlice: number;
}

function charge(meter: Meter, units: number): void {
  meter.unitsLeft -= units;
  meter.unitsInSlice += units;
}

function isSliceOver(meter: Meter): boolean {
  if (meter.unitsInSlice < unitsPerSlice) return false;
  meter.unitsInSlice = 0;
  return true;
}

/** A rule that costs no unit takes time, too. */
function evaluateRule(
  rule: RunningRule,
  input: RuleInput,
  { meter, limits }: { readonly meter: Meter; readonly limits: PolicyLimits },
): RuleOutcome {
  if (meter.unitsLeft <= 0) return { kind: "stopped", units: 0 };
  const outcome = rule.evaluate(input, Math.min(limits.unitsPerEvaluation, meter.unitsLeft));
  charge(meter, outcome.units + unitsPerQuestion);
  return outcome;
}

/** The problems of a policy by itself: expressions that do not compile. */
export function checkPolicy(policy: Declared<Policy>, options: Pick<PolicyOptions, "locate"> = {}): Problem[] {
  const compiler = boundCompiler(compileRule, defaultPolicyLimits.expressionCharacters);
  return [...compilePolicy(policy, compiler, options).problems];
}

/** Refuses expressions beyond this number of characters in total. */
function boundCompiler(compile: RuleCompiler, expressionCharacters: number): RuleCompiler {
  let charactersLeft = expressionCharacters;
  return (expression) => {
    charactersLeft -= expression.length;
    if (charactersLeft >= 0) return compile(expression);
    return { kind: "refused", detail: `all expressions together have more than ${expressionCharacters} characters` };
  };
}

interface CompiledPolicy {
  readonly policy: Declared<Policy>;
  readonly kinds: ReadonlySet<string> | undefined;
  readonly paths: PathPatterns | undefined;
  readonly rules: readonly RunningRule[];
  readonly problems: readonly Problem[];
}

interface RunningRule {
  readonly name: string;
  readonly rule: PolicyRule;
  readonly evaluate: Rule;
  /** Where its expression is; the file is read for it. */
  readonly position: () => SourcePosition;
  isStopped: boolean;
}

function compilePolicy(
  policy: Declared<Policy>,
  compiler: RuleCompiler,
  { locate = ({ position }) => position }: Pick<PolicyOptions, "locate">,
): CompiledPolicy {
  const { metadata, spec } = policy.object;
  const rules: RunningRule[] = [];
  const problems: Problem[] = [];
  spec.rules.forEach((rule, index) => {
    const name = `policy ${metadata.name}, rule ${index + 1}`;
    const position = (): SourcePosition => locate(policy, ["spec", "rules", index, "expression"]);
    const compiled = compiler(rule.expression);
    if (compiled.kind === "rule") {
      rules.push({ name, rule, evaluate: compiled.evaluate, position, isStopped: false });
    } else {
      problems.push({
        code: "E_POLICY_EXPRESSION",
        severity: "error",
        ...position(),
        message: `the expression does not compile: ${compiled.detail}`,
        object: describe(policy.object),
      });
    }
  });
  const { kinds, paths } = spec.scope ?? {};
  return {
    policy,
    kinds: kinds && new Set(kinds),
    paths: paths && compilePaths(paths),
    rules,
    problems,
  };
}

/** Once nothing is left to spend, every policy applies, so that its rules are stopped. */
function appliesTo({ policy, kinds, paths }: CompiledPolicy, subject: PolicySubject, meter: Meter): boolean {
  if (meter.unitsLeft <= 0) return true;
  const { metadata, spec } = policy.object;
  const { object, position, workspace = object.metadata.namespace } = subject;
  if (metadata.namespace !== undefined && metadata.namespace !== workspace) return false;
  // Without a scope a policy is for our own kinds only: documents of other projects follow other people's rules.
  if (spec.scope === undefined && !object.apiVersion.startsWith("rollcall.dev/")) return false;
  if (kinds !== undefined && !kinds.has(object.kind)) return false;
  if (paths === undefined) return true;
  const before = paths.steps;
  const isMatch = paths.matches(position.file);
  charge(meter, 1 + (paths.steps - before) / stepsPerUnit);
  return isMatch;
}

function inputOf({ object, oldObject, position }: PolicySubject, meter: Meter): RuleInput {
  // The keys of Secrets are copied; those that there are together are bounded by the files.
  for (const one of [object, oldObject]) if (one?.kind === "Secret") meter.unitsInSlice += countKeys(one);
  return {
    object: visibleDocument(object),
    oldObject: oldObject === undefined ? null : visibleDocument(oldObject),
    path: position.file,
  };
}

function countKeys(secret: KubeObject): number {
  const { data, stringData } = secret as { readonly data?: unknown; readonly stringData?: unknown };
  return Object.keys(Object(data) as object).length + Object.keys(Object(stringData) as object).length;
}

/** The rules that a document breaks: the first ones, and the count of the others. */
function collectViolations(subject: PolicySubject, { mode }: Pick<PolicyOptions, "mode">) {
  const found: Problem[] = [];
  const counts = { E_POLICY: 0, W_POLICY: 0 };
  return {
    add: ({ name, rule }: RunningRule, outcome: Exclude<RuleOutcome, { kind: "stopped" }>): void => {
      const isWarning = isWarningOf(rule, { mode });
      counts[isWarning ? "W_POLICY" : "E_POLICY"] += 1;
      if (counts[isWarning ? "W_POLICY" : "E_POLICY"] > mostViolations) return;
      found.push(violation({ name, rule }, outcome, { subject, isWarning }));
    },
    problems: (): readonly Problem[] => [
      ...found,
      ...(["E_POLICY", "W_POLICY"] as const)
        .filter((code) => counts[code] > mostViolations)
        .map((code) => moreViolations(subject, code, counts[code] - mostViolations)),
    ],
  };
}

function isWarningOf({ severity }: PolicyRule, { mode }: Pick<PolicyOptions, "mode">): boolean {
  return mode === "Warn" || severity === "Warning";
}

function moreViolations({ position, object }: PolicySubject, code: "E_POLICY" | "W_POLICY", count: number): Problem {
  const severity = code === "E_POLICY" ? "error" : "warning";
  return {
    code,
    severity,
    ...position,
    message: `and ${countOf(count, "more broken rule")}`,
    object: describe(object),
  };
}

function violation(
  { name, rule }: Pick<RunningRule, "name" | "rule">,
  outcome: Exclude<RuleOutcome, { kind: "stopped" }>,
  { subject, isWarning }: { readonly subject: PolicySubject; readonly isWarning: boolean },
): Problem {
  const isError = !isWarning;
  const reason = outcome.kind === "failed" ? `; the rule could not be evaluated${detailOf(outcome, subject)}` : "";
  return {
    code: isError ? "E_POLICY" : "W_POLICY",
    severity: isError ? "error" : "warning",
    ...subject.position,
    message: `${rule.message} (${name}${reason})`,
    ...(outcome.kind === "failed" ? { fix: "Give the field, or guard the expression of the rule with has()." } : {}),
    object: describe(subject.object),
  };
}

/** The failure text of an expression may quote the document. */
function detailOf({ detail }: Extract<RuleOutcome, { kind: "failed" }>, { object }: PolicySubject): string {
  return object.kind === "Secret" ? "" : `: ${detail}`;
}

function tooExpensive({ name, position }: RunningRule, subject: PolicySubject): Problem {
  return {
    code: "E_POLICY_EXPRESSION",
    severity: "error",
    ...position(),
    message: `the expression costs too much (${name}) and was stopped at ${describe(subject.object)}; no further document was checked by it`,
    fix: "Avoid loops within loops over long lists, and patterns over long texts.",
  };
}

function describe({ kind, metadata }: Pick<KubeObject, "kind" | "metadata">): string {
  return [kind, metadata.namespace, metadata.name].filter((part) => part !== undefined).join("/");
}
