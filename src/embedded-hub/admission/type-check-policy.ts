import { objectsAt, textsAt } from "../../core/read-json.ts";
import { compileCel } from "../../cel/cel.ts";
import type { CelType } from "../../cel/cel-type.ts";
import { typeOfSchema } from "../rules/schema-types.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import type { AdmissionPolicy } from "./admission-policy.ts";
import { policyLibrary } from "./authorizer-library.ts";
import { withVariables } from "./compile-policy.ts";
import { policyVariables } from "./policy-environment.ts";

export interface ExpressionWarning {
  /** `spec.validations[0].expression` */
  readonly fieldRef: string;
  readonly warning: string;
}

export interface TypeSources {
  /** Every version of the resource that is served. */
  readonly definitionsOf: (group: string, version: string, plural: string) => readonly ResourceDefinition[];
  readonly definitionOfKind: (apiVersion: string, kind: string) => ResourceDefinition | undefined;
}

const maximumTypes = 10;

/**
 * What is wrong with the expressions of a policy for the kinds that it names: such a policy is served all the same.
 * Source: k8s.io/apiserver, admission/plugin/policy/validating/typechecking.go.
 */
export function typeCheckPolicy(policy: AdmissionPolicy, sources: TypeSources): readonly ExpressionWarning[] {
  const { paramKind } = policy;
  const params = paramKind && sources.definitionOfKind(paramKind.apiVersion, paramKind.kind);
  const paramsType = params && typeOfDefinition(params);
  const hasParams = paramsType !== undefined;
  const kinds = kindsToCheck(policy, sources).flatMap((definition) => {
    const objectType = typeOfDefinition(definition);
    if (objectType === undefined) return [];
    const plain = { hasParams, hasAuthorizer: true, objectType, ...(hasParams ? { paramsType } : {}) };
    // Once for a kind: the policy may have thousands of variables, and of expressions.
    return [{ definition, variables: policyVariables(withVariables(policy, plain).scope) }];
  });
  const warningsOf = (fieldRef: string, expression: string): ExpressionWarning[] => {
    const faults = kinds.flatMap(({ definition, variables }) => {
      const compiled = compileCel(expression, { variables, library: policyLibrary });
      const isTyped = compiled.kind === "program" || compiled.stage !== "compilation";
      return isTyped ? [] : [`${describeKind(definition)}: ${compiled.message}\n`];
    });
    return faults.length === 0 ? [] : [{ fieldRef, warning: faults.join("\n") }];
  };
  return policy.validations.flatMap(({ expression, messageExpression }, index) => [
    ...warningsOf(`spec.validations[${index}].expression`, expression),
    ...(messageExpression === "" ? [] : warningsOf(`spec.validations[${index}].messageExpression`, messageExpression)),
  ]);
}

/** Kinds that rules name without a wildcard. */
function kindsToCheck({ matchConstraints }: AdmissionPolicy, sources: TypeSources): readonly ResourceDefinition[] {
  const found = new Map<string, ResourceDefinition>();
  for (const rule of objectsAt(matchConstraints, "resourceRules")) {
    for (const group of plainTexts(textsAt(rule, "apiGroups"))) {
      for (const version of plainTexts(textsAt(rule, "apiVersions"))) {
        for (const plural of plainTexts(textsAt(rule, "resources"))) {
          for (const one of sources.definitionsOf(group, version, plural)) {
            if (found.size < maximumTypes) found.set(describeKind(one), one);
          }
        }
      }
    }
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

function plainTexts(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => !/[*/]/u.test(text)).sort();
}

function describeKind({ group, version, kind }: ResourceDefinition): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** Undefined for kinds whose schema contains itself, or is empty. */
function typeOfDefinition(definition: ResourceDefinition): CelType | undefined {
  if (definition.group === "apiextensions.k8s.io") return undefined;
  return typeOfSchema(definition.structuralSchema ?? definition.schema, true, definition.kind);
}
