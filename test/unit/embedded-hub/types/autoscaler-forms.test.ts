import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { objectAt, textMapAt } from "../../../../src/core/read-json.ts";
import { toNewAutoscaler, toOldAutoscaler } from "../../../../src/embedded-hub/types/autoscaler-forms.ts";

const kind = "HorizontalPodAutoscaler";
const prefix = "autoscaling.alpha.kubernetes.io/";
const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 42 } } };
const pods = { type: "Pods", pods: { metric: { name: "b" }, target: { type: "AverageValue", averageValue: "2" } } };
const rules = { stabilizationWindowSeconds: 0, selectPolicy: "Max" };
const policies = [{ type: "Pods", value: 2, periodSeconds: 5 }];
const condition = {
  type: "A",
  status: "True",
  lastTransitionTime: "2026-01-02T03:04:05Z",
  reason: "a",
  message: "<b>",
};
const current = {
  type: "Resource",
  resource: { name: "cpu", current: { averageValue: "410m", averageUtilization: 41 } },
};
const counts = { observedGeneration: 3, lastScaleTime: "2026-01-02T03:04:05Z" };

const newForm: JsonObject = {
  apiVersion: "autoscaling/v2",
  kind,
  metadata: { name: "a", annotations: { own: "1" } },
  spec: {
    scaleTargetRef: { kind: "Deployment", name: "a" },
    minReplicas: 1,
    maxReplicas: 2,
    metrics: [pods, cpu],
    behavior: { scaleUp: { ...rules, policies } },
  },
  status: { ...counts, currentReplicas: 1, desiredReplicas: 2, currentMetrics: [current], conditions: [condition] },
};

function old(annotations: Readonly<Record<string, string>>, spec: JsonObject = {}): JsonObject {
  return { apiVersion: "autoscaling/v1", kind, metadata: { name: "a", annotations }, spec, status: {} };
}

describe("an autoscaler in the form of v1", () => {
  it("has in annotations what v1 has no fields for, as kube-apiserver writes it", () => {
    expect(toOldAutoscaler(newForm)).toEqual({
      apiVersion: "autoscaling/v1",
      kind,
      metadata: {
        name: "a",
        annotations: {
          own: "1",
          [`${prefix}metrics`]: '[{"type":"Pods","pods":{"metricName":"b","targetAverageValue":"2"}}]',
          [`${prefix}current-metrics`]:
            '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":41,"currentAverageValue":"410m"}}]',
          [`${prefix}behavior`]:
            '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max",' +
            '"Policies":[{"Type":"Pods","Value":2,"PeriodSeconds":5}],"Tolerance":null},"ScaleDown":null}',
          [`${prefix}conditions`]:
            '[{"type":"A","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z","reason":"a","message":"\\u003cb\\u003e"}]',
        },
      },
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "a" },
        minReplicas: 1,
        maxReplicas: 2,
        targetCPUUtilizationPercentage: 42,
      },
      status: { ...counts, currentReplicas: 1, desiredReplicas: 2, currentCPUUtilizationPercentage: 41 },
    });
  });

  it("loses nothing on the way there and back", () => {
    expect(toNewAutoscaler(toOldAutoscaler(newForm))).toEqual(newForm);
  });

  it.each(["{", "[]", '"a"', '{"ScaleUp":{"StabilizationWindowSeconds":"a"}}', "{}"])(
    "has no behavior when its annotation is %s",
    (text) => {
      const { metadata, spec } = toNewAutoscaler(old({ [`${prefix}behavior`]: text }));
      expect(objectAt(spec)).toEqual({ metrics: [{ ...cpu, resource: expect.anything() as unknown }] });
      expect(textMapAt(metadata, "annotations")).toEqual({});
    },
  );

  it("scales by the processor where nothing else is named", () => {
    const { spec } = toNewAutoscaler(old({ [`${prefix}metrics`]: '[{"type":1}]' }));
    const target = { type: "Utilization", averageUtilization: 80 };
    expect(spec).toEqual({ metrics: [{ type: "Resource", resource: { name: "cpu", target } }] });
  });

  it.each([
    { name: "entries", text: `[${Array.from({ length: 501 }, () => "{}").join(",")}]` },
    { name: "characters", text: `[{"type":"${"a".repeat(65_536)}"}]` },
  ])("is refused with more $name than are read in time", ({ text }) => {
    expect(() => toNewAutoscaler(old({ [`${prefix}metrics`]: text }))).toThrow("Request entity too large");
  });
});
