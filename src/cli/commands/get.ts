import { connectHub } from "../../daemon/connect-hub.ts";
import { followObjects } from "../../kube/follow-objects.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { realClock } from "../../system/real-clock.ts";
import { AppError } from "../../core/errors.ts";
import type { ObjectForm } from "../render/object-form.ts";
import { readObjectForm } from "../render/object-form.ts";
import { headerOf, renderObjects, rowsOf } from "../render/render-objects.ts";
import { renderTable } from "../render/render-table.ts";
import type { CommandContext, PlainContext } from "./command-context.ts";
import type { ObjectQuery } from "./list-objects.ts";
import { explainRefusal, listObjects, queryOf } from "./list-objects.ts";
import type { Targets } from "./read-targets.ts";
import { readFieldSelector } from "./read-field-selector.ts";
import { isNamed, pickObjects, readTargets } from "./read-targets.ts";

type GetContext = PlainContext & Partial<Pick<CommandContext, "stderr">>;

/**
 * `rollcall get KIND [NAME...]`: objects of the hub as kubectl prints them, from every namespace unless --workspace names one.
 * One name prints one object, anything else a List. A watch prints a change if the object is selected after it.
 * @throws E_USAGE, E_KUBE_NOT_FOUND for a name that there is none of
 */
export async function runGet(context: GetContext): Promise<number> {
  const { settings, args, environment, stdout, stderr } = context;
  const targets = readTargets(args);
  const form = readObjectForm(settings.text("output"));
  const isWatching = settings.isOn("watch");
  const query = queryOf(context, targets.names);
  const isSelected = readFieldSelector(settings.text("field-selector"), targets.kind.kind);
  const { hubApi } = await connectHub(settings, environment);
  try {
    if (isWatching) {
      const watch = { ...context, form, query, isSelected };
      return await explainRefusal(query, () => watchObjects(hubApi, targets, watch));
    }
    const items = await listObjects(hubApi, targets.type, query);
    const objects = pickObjects(items, targets).filter(isSelected);
    if (objects.length === 0 && form.kind === "table") stderr?.write(`${describeNone(targets, query.namespace)}\n`);
    const isSingle = targets.names.length === 1 && objects.length === 1;
    stdout.write(renderObjects(objects, { type: targets.type, form, isSingle, nowMs: realClock.nowMs() }));
    return 0;
  } finally {
    await hubApi.close();
  }
}

interface WatchContext extends PlainContext {
  readonly form: ObjectForm;
  readonly query: ObjectQuery;
  readonly isSelected: (object: KubeObject) => boolean;
}

/** Prints each object, then each again when it changes, until the program is stopped. */
async function watchObjects(
  hubApi: KubeApi,
  targets: Targets,
  { stdout, signal, form, query, isSelected }: WatchContext,
): Promise<number> {
  const { type, names } = targets;
  // One list is enough to refuse a name that there is none of.
  if (names.length > 0) pickObjects((await hubApi.list(type, query)).items, targets);
  const isWanted = (object: KubeObject): boolean =>
    (names.length === 0 || isNamed(object, targets)) && isSelected(object);
  const widths: number[] = [];
  let first: KubeObject[] | undefined = [];
  /** Printed with the first object, whenever that comes. */
  let header = form.kind === "table" ? [headerOf(type, form)] : [];
  const print = (objects: readonly KubeObject[]): void => {
    if (objects.length === 0) return;
    const nowMs = realClock.nowMs();
    if (form.kind === "table") {
      stdout.write(renderTable([...header, ...rowsOf(objects, { type, form, nowMs })], widths));
      header = [];
    } else for (const object of objects) stdout.write(renderObjects([object], { type, form, isSingle: true, nowMs }));
  };
  for await (const change of followObjects(hubApi, type, query)) {
    if (change.kind === "listed") {
      if (first !== undefined) print(first);
      first = undefined;
    } else if (isWanted(change.object)) {
      if (first !== undefined) first.push(change.object);
      else print([change.object]);
    }
  }
  throw signal.reason instanceof Error ? signal.reason : new AppError("E_KUBE_UNREACHABLE", "the watch ended");
}

function describeNone({ kind }: Targets, namespace: string | undefined): string {
  return `No ${kind.plural}${namespace === undefined ? "" : ` in namespace ${namespace}`}.`;
}
