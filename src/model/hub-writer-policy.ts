import { declaredResourceRules } from "./hub-edit-policy.ts";
import type { KubeObject } from "./kubernetes.ts";
import { validatingPolicy } from "./validating-policy.ts";
import { annotationKeys } from "./well-known.ts";
import { workspaceSelector } from "./workspace-selector.ts";

const policyName = "rollcall-hub-writers";
const group = "admissionregistration.k8s.io";
const labels = { "app.kubernetes.io/part-of": "rollcall" };
const key = annotationKeys.writtenBy;

/** Represents users who are not named: too many of them, or a name that is no line of text. */
export const unnamedUser = "?";
const mostUsers = 20;
const longestName = 256;

const annotationOf = (object: string): string =>
  `(has(${object}.metadata.annotations) && '${key}' in ${object}.metadata.annotations ? ${object}.metadata.annotations['${key}'] : '')`;

/** `before` is the annotation until now, `writtenBy` the annotation with the user of the request at the end. */
const variables = [
  {
    name: "user",
    expression: `request.userInfo.username.matches('^.{1,${longestName}}$') ? request.userInfo.username : '${unnamedUser}'`,
  },
  { name: "before", expression: `request.operation == 'CREATE' ? '' : ${annotationOf("oldObject")}` },
  {
    name: "others",
    expression: "variables.before == '' ? [] : variables.before.split('\\n').filter(user, user != variables.user)",
  },
  {
    name: "writtenBy",
    expression:
      `variables.others.size() < ${mostUsers} ? (variables.others + [variables.user]).join('\\n') : ` +
      `'${unnamedUser}\\n' + variables.user`,
  },
];

const resourceRules = declaredResourceRules("CREATE", "UPDATE");

/** Versions of the kind MutatingAdmissionPolicy that this policy is written in, the newest first. */
export const writerPolicyVersions = ["v1", "v1beta1"] as const;

/**
 * Makes an API server write the name of each user who writes an object of a declared kind into an annotation of it. A value
 * that the client sends has no effect. No user is exempt: a reader passes over its own name and those before it.
 */
export function hubWriterPolicy(version: (typeof writerPolicyVersions)[number]): readonly KubeObject[] {
  const apiVersion = `${group}/${version}`;
  const path = `/metadata/annotations`;
  return [
    {
      apiVersion,
      kind: "MutatingAdmissionPolicy",
      metadata: { name: policyName, labels },
      spec: {
        failurePolicy: "Ignore",
        reinvocationPolicy: "IfNeeded",
        matchConstraints: {
          namespaceSelector: workspaceSelector,
          resourceRules,
        },
        variables,
        mutations: [
          {
            patchType: "JSONPatch",
            jsonPatch: {
              expression:
                "has(object.metadata.annotations) ? " +
                `[JSONPatch{op: 'add', path: '${path}/${key.replace("/", "~1")}', value: variables.writtenBy}] : ` +
                `[JSONPatch{op: 'add', path: '${path}', value: {'${key}': variables.writtenBy}}]`,
            },
          },
        ],
      },
    },
    {
      apiVersion,
      kind: "MutatingAdmissionPolicyBinding",
      metadata: { name: policyName, labels },
      spec: { policyName },
    },
  ];
}

/**
 * Refuses that a client writes that annotation itself, also where no policy writes it, and in namespaces that are no workspaces
 * yet: the value of the annotation would be trusted as soon as one does.
 */
export const hubWriterGuard = validatingPolicy(policyName, {
  matchConstraints: { resourceRules },
  matchConditions: [{ name: "names-users", expression: `${annotationOf("object")} != ''` }],
  variables: [...variables, { name: "now", expression: annotationOf("object") }],
  validations: [
    {
      expression: "variables.now == variables.before || variables.now == variables.writtenBy",
      message: `the annotation ${key} is written by the API server: leave it out`,
      reason: "Forbidden",
    },
  ],
});
