import { AppError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { withDeadline } from "../../core/timer.ts";
import { mayDo } from "../../kube/access-review.ts";
import type { KubeConnection } from "../../kube/connection.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { ActionName } from "../../model/generated/page-api.ts";
import type { ObjectRef } from "../../model/kubernetes.ts";
import { describeRef } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import type { Operator } from "../../operations/operations.ts";
import {
  approveDeletions,
  requestRun,
  revokeCluster,
  suspendCluster,
  suspendRepository,
} from "../../operations/operations.ts";
import { realClock } from "../../system/real-clock.ts";
import type { ActionTarget, Actor, PageAction, PageActions } from "../../web/dashboard/page-actions.ts";
import { clusterActions, repositoryActions } from "../../web/dashboard/page-actions.ts";
import { connectAs } from "../connect-hub.ts";

const fieldManager = "rollcall-page";
/** An action is a few requests. A hub that does not answer must not hold the viewer's turn. */
const deadlineMs = 20_000;

export interface PageActionOptions {
  /** The hub. Its address and authorities are used, and no credential of it. */
  readonly connection: KubeConnection;
  readonly repository: { readonly namespace: string; readonly name: string };
  readonly log: Log;
}

/**
 * The actions of the page. The hub answers by SelfSubjectAccessReview what the viewer may do, and executes it as the viewer: the
 * daemon lends no right. The log records what is done, refused or failed, and by whom.
 */
export function createPageActions({ connection, repository, log }: PageActionOptions): PageActions {
  const repositoryRef = { type: resourceTypes.repository, ...repository };
  const refOf = (target: ActionTarget): ObjectRef =>
    target ? { type: resourceTypes.cluster, namespace: target.workspace, name: target.name } : repositoryRef;
  const asViewer = async <T>({ token, user }: Actor, work: (operator: Operator) => Promise<T>): Promise<T> => {
    const hubApi = connectAs(token, connection);
    try {
      return await withDeadline(deadlineMs, (signal) => work({ hubApi, user, nowMs: realClock.nowMs(), signal }));
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      throw new AppError("E_KUBE_UNREACHABLE", "act on the hub: it did not answer in time", { cause: error });
    } finally {
      await hubApi.close();
    }
  };
  return {
    rights: (actor, target) =>
      asViewer(actor, async ({ hubApi, signal }) => {
        const why = await missingRight(hubApi, refOf(target), signal);
        const actions: readonly ActionName[] = target ? clusterActions : repositoryActions;
        return actions.map((action) =>
          why === undefined ? { action, isAllowed: true } : { action, isAllowed: false, why },
        );
      }),
    perform: async (actor, action) => {
      const ref = refOf("target" in action ? action.target : undefined);
      const entry = { action: action.action, object: describeRef(ref), user: actor.user };
      try {
        const message = await asViewer(actor, async (operator) => {
          const missing = await missingRight(operator.hubApi, ref, operator.signal);
          if (missing !== undefined) throw new AppError("E_KUBE_FORBIDDEN", missing);
          return perform(operator, action, ref);
        });
        log.info("action of a viewer of the page", entry);
        return message;
      } catch (error) {
        log.warn("action of a viewer of the page failed", { ...entry, error });
        throw error;
      }
    },
  };
}

async function perform(operator: Operator, action: PageAction, ref: ObjectRef): Promise<string> {
  switch (action.action) {
    case "Reconcile":
      return (await requestRun(operator, ref)).message;
    case "SuspendRepository":
    case "ResumeRepository":
      return suspendRepository(operator, { repository: ref, isSuspended: action.action === "SuspendRepository" });
    case "ApproveRemovals":
      return approveDeletions(operator, { repository: ref, commit: action.commit, count: action.count });
    case "SuspendCluster":
    case "ResumeCluster":
      return suspendCluster(operator, { cluster: ref, isSuspended: action.action === "SuspendCluster" });
    case "RevokeCluster":
      return revokeCluster(operator, ref);
  }
}

/** Each action writes its object by a patch: as a sentence why the viewer may not; undefined when they may. */
async function missingRight(hubApi: KubeApi, ref: ObjectRef, signal: AbortSignal): Promise<string | undefined> {
  const { type, namespace, name } = ref;
  const question = { group: type.group, resource: type.plural, verb: "patch", namespace, name };
  if (await mayDo(hubApi, question, { fieldManager, signal })) return undefined;
  return `The hub's rules do not let you patch ${type.plural}.rollcall.dev/${name} in namespace ${namespace}.`;
}
