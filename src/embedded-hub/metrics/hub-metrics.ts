// metrics: what kube-apiserver counts of its requests, by the same names.
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import type { RequestInfo } from "../request/request-info.ts";

export interface MetricsSource {
  readonly definitions: () => readonly ResourceDefinition[];
  /** Stored objects whose keys begin with a prefix. */
  readonly countOf: (prefix: string) => number;
}

export interface HubMetrics {
  /** Counts a request in flight; the function that it returns is called with the code of its answer, once. */
  begin(info: RequestInfo, isApply: boolean): (code: number, durationMs: number) => void;
  /** Counts events of the audit log, and those that the disk did not take. */
  countAudit(count: { readonly events: number; readonly lost: number }): void;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

const requestLabels = ["verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component"] as const;
type Labels = Readonly<Record<(typeof requestLabels)[number], string>>;

/** Upper bounds in seconds, as kube-apiserver has them. */
const durationBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** The metrics of one hub. Labels take no text of a client: kinds that are not served have none. */
export function createHubMetrics(source: MetricsSource): HubMetrics {
  const registry = new Registry();
  const registers = [registry];
  const total = new Counter({
    name: "apiserver_request_total",
    help: "Requests by verb, kind and code of the answer.",
    labelNames: [...requestLabels, "code"],
    registers,
  });
  const duration = new Histogram({
    name: "apiserver_request_duration_seconds",
    help: "Seconds from the head of a request to the end of its answer, by verb and kind.",
    labelNames: requestLabels,
    buckets: durationBuckets,
    registers,
  });
  const inFlight = new Gauge({
    name: "apiserver_current_inflight_requests",
    help: "Requests that are being answered, without long-running ones.",
    labelNames: ["request_kind"],
    registers,
  });
  const longRunning = new Gauge({
    name: "apiserver_longrunning_requests",
    help: "Watches and logs that are open.",
    labelNames: requestLabels,
    registers,
  });
  registerStore(source, registers);
  return {
    countAudit: registerAudit(registers),
    begin: (info, isApply) => {
      const labels = labelsOf(source, info, isApply);
      const isLong = labels.verb === "WATCH" || labels.subresource === "log";
      const kind = { request_kind: readingVerbs.has(labels.verb) ? "readOnly" : "mutating" };
      if (isLong) longRunning.inc(labels);
      else inFlight.inc(kind);
      return (code, durationMs) => {
        if (isLong) longRunning.dec(labels);
        else inFlight.dec(kind);
        total.inc({ ...labels, code: String(code) });
        duration.observe(labels, durationMs / 1000);
      };
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function registerAudit(registers: Registry[]): HubMetrics["countAudit"] {
  const events = new Counter({
    name: "apiserver_audit_event_total",
    help: "Events of the audit log.",
    registers,
  });
  const errors = new Counter({
    name: "apiserver_audit_error_total",
    help: "Events of the audit log that the disk did not take.",
    labelNames: ["plugin"],
    registers,
  });
  errors.inc({ plugin: "log" }, 0);
  return ({ events: more, lost }) => {
    events.inc(more);
    errors.inc({ plugin: "log" }, lost);
  };
}

function registerStore({ definitions, countOf }: MetricsSource, registers: Registry[]): void {
  const objects = new Gauge({
    name: "apiserver_storage_objects",
    help: "Stored objects by kind, when the metrics are read.",
    labelNames: ["resource"],
    registers,
    collect: () => {
      objects.reset();
      for (const { group, plural, verbs, storage } of definitions()) {
        if (!verbs.includes("list")) continue;
        objects.set({ resource: group === "" ? plural : `${plural}.${group}` }, countOf(storage.prefix));
      }
    },
  });
}

const readingVerbs: ReadonlySet<string> = new Set(["GET", "LIST", "WATCH"]);
const verbs: Readonly<Record<string, string>> = {
  get: "GET",
  list: "LIST",
  watch: "WATCH",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETECOLLECTION",
  post: "POST",
  put: "PUT",
};

function labelsOf(source: MetricsSource, info: RequestInfo, isApply: boolean): Labels {
  const verb = Object.hasOwn(verbs, info.verb) ? (verbs[info.verb] ?? "other") : "other";
  const none = { group: "", version: "", resource: "", subresource: "", scope: "", component: "apiserver" };
  const common = { ...none, verb, dry_run: info.query.has("dryRun") ? "All" : "" };
  if (info.kind === "path") return common;
  const served = source
    .definitions()
    .find((one) => one.group === info.group && one.plural === info.resource && one.version === info.version);
  if (served === undefined) return common;
  const subresource = served.subresources.find(({ name }) => name === info.subresource)?.name ?? "";
  return {
    ...common,
    verb: isApply && verb === "PATCH" ? "APPLY" : verb,
    group: served.group,
    version: served.version,
    resource: served.plural,
    subresource,
    scope: info.name !== "" ? "resource" : info.namespace !== "" ? "namespace" : "cluster",
  };
}
