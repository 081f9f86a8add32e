// policy: CEL rules of a repository's Policy documents over its other documents; the same function at review and at
// reconcile. Nothing here does I/O, and nothing depends on the clock.
import { appendAll } from "../core/append-all.ts";
import type { Declared } from "../model/declared-fleet.ts";
import type { Policy } from "../model/generated/policy.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { Problem } from "../model/problem.ts";
import { compareProblems } from "../model/problem.ts";
import type { CompiledPolicy, CompileOptions, RunningRule } from "./compile-policy.ts";
import { boundCompiler, compilePolicy } from "./compile-policy.ts";
import type { RuleInput, RuleOutcome } from "./compile-rule.ts";
import type { PolicyLimits } from "./policy-limits.ts";
import { defaultPolicyLimits } from "./policy-limits.ts";
import type { PolicyMode } from "./policy-problems.ts";
import { collectViolations, isWarningOf, tooExpensive } from "./policy-problems.ts";
import type { PolicySubject } from "./policy-subject.ts";
import { visibleDocument } from "./visible-document.ts";

export interface PolicyOptions extends CompileOptions {
  readonly mode?: PolicyMode;
  readonly limits?: Partial<PolicyLimits>;
  /** Called with each subject for which a rule was stopped whose violation is an error: whether it keeps the rule is unknown. */
  readonly onUnchecked?: (subject: PolicySubject) => void;
  /** Called with each subject that breaks a rule whose violation is an error. */
  readonly onBroken?: (subject: PolicySubject) => void;
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

function* evaluateInSlices(
  policies: readonly Declared<Policy>[],
  subjects: readonly PolicySubject[],
  options: PolicyOptions,
): Generator<void, Problem[]> {
  const limits = { ...defaultPolicyLimits, ...options.limits };
  const compiler = boundCompiler(limits.expressionCharacters);
  const compiled: CompiledPolicy[] = [];
  for (const policy of policies) {
    compiled.push(compilePolicy(policy, compiler, options));
    yield;
  }
  const problems = compiled.flatMap((policy) => policy.problems);
  let running = compiled.filter(({ rules }) => rules.length > 0);
  const meter: Meter = { unitsLeft: unitsOf(limits, subjects.length), unitsInSlice: 0 };
  const isBlocking = ({ rule }: RunningRule): boolean => !isWarningOf(rule, options.mode);
  let isNoneChecked = false;
  for (const subject of subjects) {
    let input: RuleInput | undefined;
    let isAnyStopped = false;
    let isUnchecked = isNoneChecked;
    const violations = collectViolations(subject, options.mode);
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
    if (violations.isBroken()) options.onBroken?.(subject);
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
export function checkPolicy(policy: Declared<Policy>, options: CompileOptions = {}): Problem[] {
  const compiler = boundCompiler(defaultPolicyLimits.expressionCharacters);
  return [...compilePolicy(policy, compiler, options).problems];
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
