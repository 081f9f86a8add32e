import { expect, it } from "vitest";
import { toCoreEvent, toNewEvent } from "../../../../src/embedded-hub/resources/event-forms.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const event: KubeObject = {
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "a", namespace: "default" },
  involvedObject: { kind: "ConfigMap", name: "a" },
  reason: "A",
  eventTime: null,
  reportingComponent: "",
  reportingInstance: "",
};

it("keeps the empty reporter of a core Event that is marked for deletion as an events.k8s.io Event", () => {
  const served = toNewEvent(event);
  expect(served).not.toHaveProperty("reportingController");
  expect(served).not.toHaveProperty("reportingInstance");
  expect(JSON.stringify(toCoreEvent(served))).toBe(JSON.stringify(event));
});

it("keeps the reporter of an Event under its two names", () => {
  const reported = { ...event, reportingComponent: "example.org/a", reportingInstance: "b" };
  const served = toNewEvent(reported);
  expect(served).toMatchObject({ reportingController: "example.org/a", reportingInstance: "b" });
  expect(toCoreEvent(served)).toEqual(reported);
});
