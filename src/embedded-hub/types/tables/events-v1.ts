import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, events.k8s.io/v1. */
export const eventsV1: TypeTable = {
  group: "events.k8s.io",
  version: "v1",
  openApiPrefix: "io.k8s.api.events.v1",
  types: {
    Event: {
      metadata: "1 meta.ObjectMeta always",
      eventTime: "2 MicroTime always required",
      series: "3 *EventSeries",
      reportingController: "4 string",
      reportingInstance: "5 string",
      action: "6 string",
      reason: "7 string",
      regarding: "8 core.ObjectReference",
      related: "9 *core.ObjectReference",
      note: "10 string",
      type: "11 string",
      deprecatedSource: "12 core.EventSource",
      deprecatedFirstTimestamp: "13 Time",
      deprecatedLastTimestamp: "14 Time",
      deprecatedCount: "15 int32",
    },
    EventSeries: {
      count: "1 int32 always required",
      lastObservedTime: "2 MicroTime always required",
    },
    EventList: {
      metadata: "1 meta.ListMeta",
      items: "2 []Event always required",
    },
  },
};
