import { X509Certificate } from "node:crypto";
import { smallestOf } from "../../core/extremes.ts";
import { objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { controllerQueue } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";

const group = "certificates.k8s.io";
const plural = "certificatesigningrequests";
const hourMs = 3600_000;
const pendingMs = 24 * hourMs;

/**
 * Deletes requests for certificates: undecided ones after a day, denied, failed and issued ones after an hour.
 * Source: Kubernetes, pkg/controller/certificates/cleaner.
 */
export function startCertificateCleaner(scope: ControllerScope): Controller {
  const writer = hubWriter(scope.operations, "certificate-controller");
  const queue = controllerQueue({
    scope,
    name: "certificate-cleaner",
    work: async (name) => {
      const request = writer.get(group, plural, { name });
      const endsAtMs = request === undefined ? Infinity : endOf(request);
      if (request === undefined || endsAtMs === Infinity) return undefined;
      const leftMs = endsAtMs - scope.clock.nowMs();
      // Times are in seconds: one that is over by less is not over yet for all.
      if (leftMs >= 0) return Math.min(leftMs + 1, pendingMs);
      await writer.remove(request);
      return undefined;
    },
  });
  // Also one that is deleted: the work on it ends its timer.
  scope.feed.on(group, plural, ({ object }) => queue.add(object.metadata.name));
  return { stop: () => queue.stop() };
}

/** When a request is deleted, in milliseconds; Infinity while it waits for its answer. */
function endOf(request: KubeObject): number {
  const conditions = objectsAt(request, "status", "conditions");
  const certificate = textAt(request, "status", "certificate") ?? "";
  if (conditions.length === 0) return timeOf(request.metadata.creationTimestamp) + pendingMs;
  const ends = conditions.map((condition) => {
    const type = condition["type"];
    const isOver = type === "Denied" || type === "Failed" || (type === "Approved" && certificate !== "");
    return isOver ? timeOf(textAt(condition, "lastUpdateTime")) + hourMs : Infinity;
  });
  const isIssued = certificate !== "" && conditions.some((condition) => condition["type"] === "Approved");
  return smallestOf([...ends, isIssued ? endOfCertificate(certificate) : Infinity], Infinity);
}

function timeOf(time: string | undefined): number {
  return time === undefined ? Infinity : Date.parse(time);
}

function endOfCertificate(encoded: string): number {
  try {
    return Date.parse(new X509Certificate(Buffer.from(encoded, "base64")).validTo);
  } catch {
    // It was stored before it was checked.
    return Infinity;
  }
}
