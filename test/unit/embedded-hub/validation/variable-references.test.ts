import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  validateEnvironment,
  validateEnvironmentSources,
} from "../../../../src/embedded-hub/validation/validate-environment.ts";
import { textsOf } from "./validation-builders.ts";

// The answers of kube-apiserver 1.34.4.

describe("what variables refer to", () => {
  it.each<{ container: JsonObject; expected: readonly string[] }>([
    {
      container: { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1" } } }] },
      expected: [],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "requests.memory", divisor: "1" } } }],
      },
      expected: [],
    },
    {
      container: { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } }] },
      expected: [],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "requests.memory", divisor: "1m" } } }],
      },
      expected: [
        'env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "requests.memory": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource',
      ],
    },
    {
      container: { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "2" } } }] },
      expected: [
        'env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "requests.memory", divisor: "2" } } }],
      },
      expected: [
        'env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "requests.memory": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource',
      ],
    },
    {
      container: { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "0" } } }] },
      expected: [],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "requests.memory", divisor: "0" } } }],
      },
      expected: [],
    },
    {
      container: { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1k" } } }] },
      expected: [
        'env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "requests.memory", divisor: "1k" } } }],
      },
      expected: [],
    },
    {
      container: { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "-1" } } }] },
      expected: [
        'env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "requests.memory", divisor: "-1" } } }],
      },
      expected: [
        'env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "requests.memory": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource',
      ],
    },
    {
      container: { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "100m" } } }] },
      expected: [
        'env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "requests.memory", divisor: "100m" } } }],
      },
      expected: [
        'env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "requests.memory": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource',
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "requests.ephemeral-storage", divisor: "3" } } }],
      },
      expected: [
        'env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "requests.ephemeral-storage": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the local ephemeral storage resource',
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.hugepages-2Mi", divisor: "3" } } }],
      },
      expected: [
        'env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.hugepages-2Mi": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the hugepages resource',
      ],
    },
    {
      container: { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "odd", divisor: "3" } } }] },
      expected: [
        'env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "odd": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
      ],
    },
    {
      container: { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "", divisor: "3" } } }] },
      expected: ["env[0].valueFrom.resourceFieldRef.resource: Required value"],
    },
    {
      container: { env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.host" } } }] },
      expected: [],
    },
    {
      container: { env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels" } } }] },
      expected: [
        'env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels['']" } } }],
      },
      expected: [
        'env[0].valueFrom.fieldRef: Invalid value: "": name part must be non-empty',
        "env[0].valueFrom.fieldRef: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels['a b']" } } }],
      },
      expected: [
        "env[0].valueFrom.fieldRef: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name['a']" } } }],
      },
      expected: [
        "env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"metadata.name['a']\": error converting fieldPath: field label does not support subscript: metadata.name['a']",
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.odd['a']" } } }],
      },
      expected: [
        "env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"metadata.odd['a']\": error converting fieldPath: field label does not support subscript: metadata.odd['a']",
      ],
    },
    {
      container: { env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } } }] },
      expected: [
        'env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2',
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels['a']['b']" } } }],
      },
      expected: [
        "env[0].valueFrom.fieldRef: Invalid value: \"a']['b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels['']extra']" } } }],
      },
      expected: [
        "env[0].valueFrom.fieldRef: Invalid value: \"']extra\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    },
    {
      container: { env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "['a']" } } }] },
      expected: [
        "env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"['a']\": error converting fieldPath: field label not supported: ['a']",
      ],
    },
    {
      container: { env: [{ name: "A", valueFrom: { fileKeyRef: { volumeName: "v", path: "p", key: "k" } } }] },
      expected: [
        'env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      ],
    },
    {
      container: { env: [{ name: "A", valueFrom: { secretKeyRef: { key: "k" } } }] },
      expected: [
        "env[0].valueFrom.secretKeyRef.name: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    },
    {
      container: {
        env: [{ name: "A", value: "", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: true } } }],
      },
      expected: [],
    },
    {
      container: { envFrom: [{ prefix: "a=b", secretRef: { name: "" } }] },
      expected: [
        "envFrom[0].prefix: Invalid value: \"a=b\": a valid environment variable name must consist only of printable ASCII characters other than '='",
        "envFrom[0].secretRef.name: Required value",
      ],
    },
    {
      container: { envFrom: [{}] },
      expected: ['envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`'],
    },
    {
      container: { envFrom: [{ secretRef: { name: "s" }, configMapRef: { name: "c" } }] },
      expected: ['envFrom: Invalid value: "": may not have more than one field specified at a time'],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.schedulerName" } } }],
      },
      expected: [
        'env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "spec.schedulerName": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
      ],
    },
    {
      container: { env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.phase" } } }] },
      expected: [
        'env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.restartPolicy" } } }],
      },
      expected: [
        'env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "spec.restartPolicy": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels[''" } } }],
      },
      expected: [
        "env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"metadata.labels[''\": error converting fieldPath: field label not supported: metadata.labels[''",
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels['" } } }],
      },
      expected: [
        "env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"metadata.labels['\": error converting fieldPath: field label not supported: metadata.labels['",
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels[a']" } } }],
      },
      expected: [
        "env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"metadata.labels[a']\": error converting fieldPath: field label not supported: metadata.labels[a']",
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.annotations['A/B']" } } }],
      },
      expected: [],
    },
    {
      container: { env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "x['a'" } } }] },
      expected: [
        "env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"x['a'\": error converting fieldPath: field label not supported: x['a'",
      ],
    },
    {
      container: {
        env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels['a']\n" } } }],
      },
      expected: [
        "env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"metadata.labels['a']\\n\": error converting fieldPath: field label not supported: metadata.labels['a']\n",
      ],
    },
  ])("finds $expected with $container", ({ container, expected }) => {
    const errors = [...validateEnvironment(container, "env"), ...validateEnvironmentSources(container, "envFrom")];
    expect(textsOf(errors)).toEqual(expected);
  });
});
