import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, admissionregistration.k8s.io/v1. */
export const admissionV1: TypeTable = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  openApiPrefix: "io.k8s.api.admissionregistration.v1",
  types: {
    ValidatingAdmissionPolicy: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 ValidatingAdmissionPolicySpec",
      status: "3 ValidatingAdmissionPolicyStatus",
    },
    ValidatingAdmissionPolicySpec: {
      paramKind: "1 *ParamKind",
      matchConstraints: "2 *MatchResources",
      validations: "3 []Validation atomic",
      failurePolicy: "4 *string enum=Fail,Ignore",
      auditAnnotations: "5 []AuditAnnotation atomic",
      matchConditions: "6 []MatchCondition map=name patch=merge key=name",
      variables: "7 []Variable map=name patch=merge key=name",
    },
    ParamKind: {
      "@": "atomic",
      apiVersion: "1 string",
      kind: "2 string",
    },
    MatchResources: {
      "@": "atomic",
      namespaceSelector: "1 *meta.LabelSelector",
      objectSelector: "2 *meta.LabelSelector",
      resourceRules: "3 []NamedRuleWithOperations atomic",
      excludeResourceRules: "4 []NamedRuleWithOperations atomic",
      matchPolicy: "7 *string enum=Equivalent,Exact",
    },
    NamedRuleWithOperations: {
      "@": "atomic",
      resourceNames: "1 []string atomic",
      "...ruleWithOperations": "2 RuleWithOperations",
    },
    RuleWithOperations: {
      operations: "1 []string atomic enum=*,CONNECT,CREATE,DELETE,UPDATE",
      "...rule": "2 Rule",
    },
    Rule: {
      apiGroups: "1 []string atomic",
      apiVersions: "2 []string atomic",
      resources: "3 []string atomic",
      scope: "4 *string",
    },
    Validation: {
      expression: "1 string always required",
      message: "2 string",
      reason: "3 *string",
      messageExpression: "4 string",
    },
    AuditAnnotation: {
      key: "1 string always required",
      valueExpression: "2 string always required",
    },
    MatchCondition: {
      name: "1 string always required",
      expression: "2 string always required",
    },
    Variable: {
      "@": "atomic",
      name: "1 string always required",
      expression: "2 string always required",
    },
    ValidatingAdmissionPolicyStatus: {
      observedGeneration: "1 int64",
      typeChecking: "2 *TypeChecking",
      conditions: "3 []meta.Condition map=type",
    },
    TypeChecking: {
      expressionWarnings: "1 []ExpressionWarning atomic",
    },
    ExpressionWarning: {
      fieldRef: "2 string always required",
      warning: "3 string always required",
    },
    ValidatingAdmissionPolicyList: {
      metadata: "1 meta.ListMeta",
      items: "2 []ValidatingAdmissionPolicy always required",
    },
    ValidatingAdmissionPolicyBinding: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 ValidatingAdmissionPolicyBindingSpec",
    },
    ValidatingAdmissionPolicyBindingSpec: {
      policyName: "1 string",
      paramRef: "2 *ParamRef",
      matchResources: "3 *MatchResources",
      validationActions: "4 []string set enum=Audit,Deny,Warn",
    },
    ParamRef: {
      "@": "atomic",
      name: "1 string",
      namespace: "2 string",
      selector: "3 *meta.LabelSelector",
      parameterNotFoundAction: "4 *string",
    },
    ValidatingAdmissionPolicyBindingList: {
      metadata: "1 meta.ListMeta",
      items: "2 []ValidatingAdmissionPolicyBinding always required",
    },
    ValidatingWebhookConfiguration: {
      metadata: "1 meta.ObjectMeta",
      webhooks: "2 []ValidatingWebhook map=name patch=merge key=name",
    },
    ValidatingWebhook: {
      name: "1 string always required",
      clientConfig: "2 WebhookClientConfig always required",
      rules: "3 []RuleWithOperations atomic",
      failurePolicy: "4 *string enum=Fail,Ignore",
      matchPolicy: "9 *string enum=Equivalent,Exact",
      namespaceSelector: "5 *meta.LabelSelector",
      objectSelector: "10 *meta.LabelSelector",
      sideEffects: "6 *string always required enum=None,NoneOnDryRun,Some,Unknown",
      timeoutSeconds: "7 *int32",
      admissionReviewVersions: "8 []string always required atomic",
      matchConditions: "11 []MatchCondition map=name patch=merge key=name",
    },
    WebhookClientConfig: {
      url: "3 *string",
      service: "1 *ServiceReference",
      caBundle: "2 bytes",
    },
    ServiceReference: {
      namespace: "1 string always required",
      name: "2 string always required",
      path: "3 *string",
      port: "4 *int32",
    },
    ValidatingWebhookConfigurationList: {
      metadata: "1 meta.ListMeta",
      items: "2 []ValidatingWebhookConfiguration always required",
    },
    MutatingWebhookConfiguration: {
      metadata: "1 meta.ObjectMeta",
      webhooks: "2 []MutatingWebhook map=name patch=merge key=name",
    },
    MutatingWebhook: {
      name: "1 string always required",
      clientConfig: "2 WebhookClientConfig always required",
      rules: "3 []RuleWithOperations atomic",
      failurePolicy: "4 *string enum=Fail,Ignore",
      matchPolicy: "9 *string enum=Equivalent,Exact",
      namespaceSelector: "5 *meta.LabelSelector",
      objectSelector: "11 *meta.LabelSelector",
      sideEffects: "6 *string always required enum=None,NoneOnDryRun,Some,Unknown",
      timeoutSeconds: "7 *int32",
      admissionReviewVersions: "8 []string always required atomic",
      reinvocationPolicy: "10 *string",
      matchConditions: "12 []MatchCondition map=name patch=merge key=name",
    },
    MutatingWebhookConfigurationList: {
      metadata: "1 meta.ListMeta",
      items: "2 []MutatingWebhookConfiguration always required",
    },
  },
};
