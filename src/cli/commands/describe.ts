import { AppError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { connectHub } from "../../daemon/connect-hub.ts";
import type { EventQuery } from "../../daemon/list-events.ts";
import { listEvents } from "../../daemon/list-events.ts";
import { isAppError } from "../../core/errors.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { realClock } from "../../system/real-clock.ts";
import { isColourful } from "../render/is-colourful.ts";
import { renderValue } from "../render/object-form.ts";
import { renderEvents } from "../render/render-events.ts";
import { withoutManagers } from "../render/render-objects.ts";
import { renderClusterDetail } from "../render/render-status.ts";
import type { PlainContext } from "./command-context.ts";
import { explainCluster } from "./explain-cluster.ts";
import { listObjects, queryOf } from "./list-objects.ts";
import { pickObjects, readTargets } from "./read-targets.ts";

/**
 * `rollcall describe KIND NAME`: one object for people, with its labels and Events; a cluster as `status` explains it.
 * @throws E_USAGE, E_KUBE_NOT_FOUND
 */
export async function runDescribe(context: PlainContext): Promise<number> {
  const { settings, args, environment, stdout, signal } = context;
  const targets = readTargets(args);
  const { hubApi } = await connectHub(settings, environment);
  try {
    const items = await listObjects(hubApi, targets.type, queryOf(context, targets.names));
    const objects = pickObjects(items, targets);
    if (objects.length === 0) throw new AppError("E_KUBE_NOT_FOUND", `the hub has no ${targets.kind.kind}`);
    const isColour = isColourful(stdout, environment);
    for (const [index, object] of objects.entries()) {
      if (index > 0) stdout.write("\n\n");
      stdout.write(await describeObject(hubApi, object, { isColour, signal }));
    }
    return 0;
  } finally {
    await hubApi.close();
  }
}

async function describeObject(
  hubApi: KubeApi,
  object: KubeObject,
  { isColour, signal }: { readonly isColour: boolean; readonly signal: AbortSignal },
): Promise<string> {
  const nowMs = realClock.nowMs();
  const { namespace = "", name, uid, labels = {} } = object.metadata;
  const isCluster = object.kind === "Cluster";
  const body = isCluster
    ? renderClusterDetail(await explainCluster(hubApi, object as unknown as Cluster, signal), { isColour, nowMs })
    : renderValue(withoutManagers(object), "yaml");
  const pairs = Object.entries(labels).map(([key, value]) => `  ${printable(`${key}=${value}`)}`);
  const labelled = isCluster ? `\nLabels:\n${pairs.length === 0 ? "  none" : pairs.join("\n")}\n` : "";
  const regarding = { kind: object.kind, name, ...(uid === undefined ? {} : { uid }) };
  return `${body}${labelled}\n${await describeEvents(hubApi, { namespace, regarding, signal, nowMs })}`;
}

async function describeEvents(hubApi: KubeApi, { nowMs, ...query }: EventsOf): Promise<string> {
  try {
    const events = await listEvents(hubApi, query);
    if (events.length === 0) return "Events: none\n";
    return `Events:\n${renderEvents(events, nowMs).replace(/^(?=.)/gmu, "  ")}`;
  } catch (error) {
    if (isAppError(error, "E_KUBE_FORBIDDEN")) return "Events: this user may not list them\n";
    throw error;
  }
}

interface EventsOf extends EventQuery {
  readonly nowMs: number;
}
