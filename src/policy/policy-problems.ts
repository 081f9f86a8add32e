import { countOf } from "../core/count-of.ts";
import type { PolicyRule } from "../model/generated/policy.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { Problem } from "../model/problem.ts";
import type { SourcePosition } from "../model/source.ts";
import type { RuleOutcome } from "./compile-rule.ts";
import type { PolicySubject } from "./policy-subject.ts";

/** As Repository.spec.policies: `Warn` makes every violation a warning. Default `Enforce`. */
export type PolicyMode = "Enforce" | "Warn";

/** A rule as its problems name it. */
interface NamedRule {
  readonly name: string;
  readonly rule: PolicyRule;
}

/** Of a rule that has been asked to its end, and does not hold. */
type BrokenOutcome = Exclude<RuleOutcome, { kind: "stopped" }>;

/** Broken rules of one document that are reported one by one, errors and warnings each. */
const mostViolations = 10;

/** The rules that a document breaks: the first ones, and the count of the others. */
export function collectViolations(subject: PolicySubject, mode?: PolicyMode) {
  const found: Problem[] = [];
  const counts = { E_POLICY: 0, W_POLICY: 0 };
  return {
    add: (named: NamedRule, outcome: BrokenOutcome): void => {
      const isWarning = isWarningOf(named.rule, mode);
      counts[isWarning ? "W_POLICY" : "E_POLICY"] += 1;
      if (counts[isWarning ? "W_POLICY" : "E_POLICY"] > mostViolations) return;
      found.push(violation(named, outcome, { subject, isWarning }));
    },
    isBroken: (): boolean => counts.E_POLICY > 0,
    problems: (): readonly Problem[] => [
      ...found,
      ...(["E_POLICY", "W_POLICY"] as const)
        .filter((code) => counts[code] > mostViolations)
        .map((code) => moreViolations(subject, code, counts[code] - mostViolations)),
    ],
  };
}

export function isWarningOf({ severity }: PolicyRule, mode?: PolicyMode): boolean {
  return mode === "Warn" || severity === "Warning";
}

function moreViolations({ position, object }: PolicySubject, code: "E_POLICY" | "W_POLICY", count: number): Problem {
  const severity = code === "E_POLICY" ? "error" : "warning";
  return {
    code,
    severity,
    ...position,
    message: `and ${countOf(count, "more broken rule")}`,
    object: describeDocument(object),
  };
}

function violation(
  { name, rule }: NamedRule,
  outcome: BrokenOutcome,
  { subject, isWarning }: { readonly subject: PolicySubject; readonly isWarning: boolean },
): Problem {
  const reason = outcome.kind === "failed" ? `; the rule could not be evaluated${detailOf(outcome, subject)}` : "";
  return {
    code: isWarning ? "W_POLICY" : "E_POLICY",
    severity: isWarning ? "warning" : "error",
    ...subject.position,
    message: `${rule.message} (${name}${reason})`,
    ...(outcome.kind === "failed" ? { fix: "Give the field, or guard the expression of the rule with has()." } : {}),
    object: describeDocument(subject.object),
  };
}

/** The failure text of an expression may quote the document. */
function detailOf({ detail }: Extract<RuleOutcome, { kind: "failed" }>, { object }: PolicySubject): string {
  return object.kind === "Secret" ? "" : `: ${detail}`;
}

/** At the rule, once: it is not asked about the documents after this one. */
export function tooExpensive(
  { name, position }: { readonly name: string; readonly position: () => SourcePosition },
  subject: PolicySubject,
): Problem {
  return {
    code: "E_POLICY_EXPRESSION",
    severity: "error",
    ...position(),
    message: `the expression costs too much (${name}) and was stopped at ${describeDocument(subject.object)}; no further document was checked by it`,
    fix: "Avoid loops within loops over long lists, and patterns over long texts.",
  };
}

export function describeDocument({ kind, metadata }: Pick<KubeObject, "kind" | "metadata">): string {
  return [kind, metadata.namespace, metadata.name].filter((part) => part !== undefined).join("/");
}
