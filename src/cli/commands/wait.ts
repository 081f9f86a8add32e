import { AppError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { numberAt } from "../../core/read-json.ts";
import { withDeadline } from "../../core/timer.ts";
import { connectHub } from "../../daemon/connect-hub.ts";
import { followObjects } from "../../kube/follow-objects.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { Condition, KubeObject } from "../../model/kubernetes.ts";
import { readConditions } from "../../planning/conditions.ts";
import type { PlainContext } from "./command-context.ts";
import type { ObjectQuery } from "./list-objects.ts";
import { listObjects, queryOf } from "./list-objects.ts";
import type { Targets } from "./read-targets.ts";
import { isNamed, pickObjects, readTargets } from "./read-targets.ts";
import { readTimeout } from "./read-timeout.ts";

/** What is waited for. */
type Goal =
  | { readonly kind: "create" }
  | { readonly kind: "delete" }
  | { readonly kind: "condition"; readonly type: string; readonly status: string };

/**
 * `rollcall wait KIND/NAME... --for condition=Ready`: ends with 0 when each object has the condition, is on the hub, or is
 * deleted.
 * @throws E_USAGE, E_KUBE_NOT_FOUND, E_WAIT_TIMEOUT
 */
export async function runWait(context: PlainContext): Promise<number> {
  const { settings, args, environment, stdout, signal } = context;
  const targets = readTargets(args);
  if (targets.names.length === 0) throw new AppError("E_USAGE", `name what to wait for: ${targets.kind.plural}/NAME`);
  const goal = readGoal(settings.requiredText("for"));
  const { timeout, timeoutMs } = readTimeout(settings);
  const { hubApi } = await connectHub(settings, environment);
  const report = ({ metadata: { name } }: KubeObject): void => {
    const { kind, group } = targets.type;
    stdout.write(`${kind.toLowerCase()}.${group}/${printable(name)} ${reached[goal.kind]}\n`);
  };
  try {
    await withDeadline(timeoutMs, async (deadline) => {
      const query = { ...queryOf(context, targets.names), signal: AbortSignal.any([signal, deadline]) };
      const wait = { targets, query, timeout, signal, report };
      const found = await findTargets(hubApi, targets, { query, goal }).catch((error: unknown) => {
        if (signal.aborted || !deadline.aborted) throw error;
        const message = `wait for ${printable(args.join(" "))}: the hub has not answered after ${timeout}`;
        throw new AppError("E_WAIT_TIMEOUT", message, { cause: error });
      });
      if (goal.kind === "create") return waitForCreation(hubApi, wait);
      for (const object of found) {
        await waitFor(hubApi, object, { ...wait, goal });
        report(object);
      }
    });
    return 0;
  } finally {
    await hubApi.close();
  }
}

const reached: Readonly<Record<Goal["kind"], string>> = {
  create: "created",
  delete: "deleted",
  condition: "condition met",
};

/** Only who waits for a condition needs each of them: what is deleted already is not waited for. */
async function findTargets(
  hubApi: KubeApi,
  targets: Targets,
  { query, goal }: { readonly query: ObjectQuery; readonly goal: Goal },
): Promise<readonly KubeObject[]> {
  const items = await listObjects(hubApi, targets.type, query);
  if (goal.kind === "condition") return pickObjects(items, targets);
  return items.filter((object) => isNamed(object, targets));
}

/** Of an object that is there. */
type LaterGoal = Exclude<Goal, { kind: "create" }>;

interface Wait {
  readonly targets: Targets;
  readonly query: ObjectQuery;
  readonly timeout: string;
  /** Without the deadline. */
  readonly signal: AbortSignal;
  readonly report: (object: KubeObject) => void;
}

async function waitForCreation(hubApi: KubeApi, wait: Wait): Promise<void> {
  const { targets, query, timeout, report } = wait;
  const missing = new Set(targets.names);
  const isEach = await inTime(wait, async () => {
    for await (const change of followObjects(hubApi, targets.type, query)) {
      if (change.kind === "listed" || change.kind === "deleted") continue;
      const names = [...missing].filter((name) => isNamed(change.object, { names: [name] }));
      if (names.length > 0) report(change.object);
      for (const name of names) missing.delete(name);
      if (missing.size === 0) return true;
    }
    return false;
  });
  if (isEach) return;
  const places = [...missing].map((name) => `${targets.type.kind}/${printable(name)}`).join(", ");
  const remedy =
    "Read with `rollcall status` whether the daemon runs, which commit it has applied and which files wait.";
  const message = `wait for ${places}: not on the hub after ${timeout}`;
  throw new AppError("E_WAIT_TIMEOUT", message, { remedy });
}

async function waitFor(hubApi: KubeApi, object: KubeObject, wait: Wait & { readonly goal: LaterGoal }): Promise<void> {
  const { targets, goal, query, timeout } = wait;
  const { namespace = "", name, uid } = object.metadata;
  const place = `${targets.type.kind}/${namespace}/${name}`;
  let last = object;
  const isReached = await inTime(wait, async () => {
    const followed = { signal: query.signal, namespace, fieldSelector: `metadata.name=${name}` };
    let isThere = false;
    for await (const change of followObjects(hubApi, targets.type, followed)) {
      if (change.kind !== "listed") {
        isThere = change.kind !== "deleted" && change.object.metadata.uid === uid;
        last = change.object;
        if (isThere && goal.kind === "condition" && hasCondition(last, goal)) return true;
      }
      if (isThere) continue;
      if (goal.kind === "delete") return true;
      throw new AppError("E_KUBE_NOT_FOUND", `wait for ${place}: it was deleted`, { recovery: "stalled" });
    }
    return false;
  });
  if (!isReached)
    throw new AppError("E_WAIT_TIMEOUT", `wait for ${place}: ${describeLast(last, goal)} after ${timeout}`);
}

/** What `work` returns, or false once the time has ended. Rejects when the program is stopped. */
async function inTime({ query, signal }: Wait, work: () => Promise<boolean>): Promise<boolean> {
  const isReached = await work().catch((error: unknown) => {
    if (signal.aborted || !query.signal.aborted) throw error;
    return false;
  });
  if (!isReached && signal.aborted) throw signal.reason instanceof Error ? signal.reason : new Error("stopped");
  return isReached;
}

function describeLast(object: KubeObject, goal: LaterGoal): string {
  if (goal.kind === "delete") return "it is still on the hub";
  const condition = conditionOf(object, goal.type);
  if (condition === undefined) return `it has no condition ${printable(goal.type)}`;
  const { status, reason, message } = condition;
  const age = isOfNewestSpec(object, goal.type) ? "" : ", of an earlier version of its spec,";
  return `${goal.type} is ${printable(`${status} (${reason}: ${message})`)}${age}`;
}

/** False for a condition that is about an earlier generation, as for `kubectl wait`. */
function isOfNewestSpec(object: KubeObject, type: string): boolean {
  const observed = conditionOf(object, type)?.observedGeneration ?? numberAt(object, "status", "observedGeneration");
  return observed === undefined || observed >= (object.metadata.generation ?? 0);
}

function conditionOf(object: KubeObject, type: string): Condition | undefined {
  return readConditions(object).find((condition) => isSameWord(condition.type, type));
}

/** People write `condition=ready`, which kubectl takes. */
function isSameWord(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function hasCondition(object: KubeObject, { type, status }: Extract<Goal, { kind: "condition" }>): boolean {
  return isSameWord(conditionOf(object, type)?.status ?? "", status) && isOfNewestSpec(object, type);
}

/** `create`, `delete`, `condition=Ready` or `condition=Ready=False`, as for `kubectl wait`. */
function readGoal(text: string): Goal {
  if (text === "create" || text === "delete") return { kind: text };
  const [, type, status = "True"] = /^condition=([A-Za-z][A-Za-z0-9]*)(?:=(True|False|Unknown))?$/iu.exec(text) ?? [];
  if (type !== undefined) return { kind: "condition", type, status };
  const known = "condition=Ready, condition=Ready=False, create or delete";
  throw new AppError("E_USAGE", `--for is ${printable(text)}; it can be such as ${known}`);
}
