import { bootstrapExpiry, bootstrapTokenType } from "../auth/bootstrap-token.ts";
import { controllerQueue } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";

const namespace = "kube-system";
/** Longer waits are cut: a timer counts 31 bits of milliseconds. */
const longestWaitMs = 24 * 3600_000;

/**
 * Deletes bootstrap token Secrets when their time is over, or cannot be read.
 * Source: Kubernetes, pkg/controller/bootstrap/tokencleaner.go.
 */
export function startBootstrapTokenCleaner(scope: ControllerScope): Controller {
  const writer = hubWriter(scope.operations, "token-cleaner");
  const queue = controllerQueue({
    scope,
    name: "bootstrap-token-cleaner",
    work: async (name) => {
      const secret = writer.get("", "secrets", { namespace, name });
      if (secret?.["type"] !== bootstrapTokenType) return undefined;
      const expiry = bootstrapExpiry(secret);
      if (expiry.kind === "never") return undefined;
      const leftMs = expiry.kind === "at" ? expiry.atMs - scope.clock.nowMs() : 0;
      if (leftMs > 0) return Math.min(leftMs, longestWaitMs);
      await writer.remove(secret);
      return undefined;
    },
  });
  scope.feed.on("", "secrets", (event) => {
    // Also of one that is deleted: the work on it ends its timer.
    if (!event.mentions(bootstrapTokenType)) return;
    if (event.object.metadata.namespace === namespace) queue.add(event.object.metadata.name);
  });
  return { stop: () => queue.stop() };
}
