import { isAppError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { parseJson } from "../../core/parse-json.ts";
import type { ActionList, ActionResult } from "../../model/generated/page-api.ts";
import type { WebAnswer, WebRequest, WebRoute } from "../web.ts";
import type { Access, Viewer } from "./access.ts";
import { credentialOf } from "./access.ts";
import type { FleetReader } from "./dashboard-options.ts";
import { isFromPage, isFromPageOf, isOwnRequest } from "./own-request.ts";
import { apiError, json, refusal } from "./page-answers.ts";
import type { ActionTarget, Actor, PageAction, PageActions } from "./page-actions.ts";
import { readAction } from "./page-actions.ts";
import { createTurnsOfUsers } from "./turns-of-users.ts";

export interface ActionRouteOptions {
  readonly access: Access;
  readonly actions: PageActions;
  readonly reader: Pick<FleetReader, "cluster">;
}

const path = "/api/v1/actions";
const longestBody = 4096;
/** Of one user; each action is a few requests to the hub. */
const limits = { atOnce: 1, waiting: 8 };

/** What a viewer may do, and doing it. Both are asked of the hub with the viewer's own token. */
export function actionRoutes(options: ActionRouteOptions): WebRoute[] {
  const turns = createTurnsOfUsers(limits);
  const inTurn = (user: string, work: () => Promise<WebAnswer>): Promise<WebAnswer> | WebAnswer =>
    turns(user, work) ?? apiError(503, "Failed", "Other actions of yours are under way.");
  return [
    { method: "GET", path, answer: (request) => listActions(options, request, inTurn) },
    { method: "POST", path, answer: (request) => act(options, request, inTurn) },
  ];
}

type InTurn = (user: string, work: () => Promise<WebAnswer>) => Promise<WebAnswer> | WebAnswer;

async function listActions(options: ActionRouteOptions, request: WebRequest, inTurn: InTurn): Promise<WebAnswer> {
  const { access, actions } = options;
  const admission = await access.admit(request);
  if (admission.kind === "refused") return refusal(admission);
  const workspace = request.query.get("workspace") ?? undefined;
  const name = request.query.get("name") ?? undefined;
  const target = workspace === undefined || name === undefined ? undefined : { workspace, name };
  const { viewer } = admission;
  const hidden = refuseUnseen(options, viewer, target);
  if (hidden) return hidden;
  const actor = actorOf(viewer, request);
  if (!actor) return apiError(403, "Forbidden", noToken);
  const read = async (): Promise<WebAnswer> =>
    json(request, { items: [...(await actions.rights(actor, target))] } satisfies ActionList);
  return inTurn(actor.user, async () => answerFailures(read, "The hub did not report what you may do"));
}

const noToken = "An action needs your own token of the hub.";
const otherViewer = ({ user }: Actor): string =>
  `This browser is signed in as ${user} now, and the page shows another viewer. Nothing was done: load the page again.`;

async function act(options: ActionRouteOptions, request: WebRequest, inTurn: InTurn): Promise<WebAnswer> {
  const { access, actions } = options;
  const admission = await access.admit(request);
  if (admission.kind === "refused") return refusal(admission);
  const actor = actorOf(admission.viewer, request);
  if (!actor) return apiError(403, "Forbidden", noToken);
  if (!isOwnRequest(request, actor)) return apiError(403, "Forbidden", "This request comes from another page.");
  if (isFromPage(request) && !isFromPageOf(actor.user, request)) return apiError(409, "Refused", otherViewer(actor));
  const action = isJson(request) ? readBody(await request.readBody(longestBody)) : undefined;
  if (!action) return apiError(400, "BadRequest", "This is no action: see ActionRequest in /api/v1/openapi.json.");
  const hidden = refuseUnseen(options, admission.viewer, "target" in action ? action.target : undefined);
  if (hidden) return hidden;
  const perform = async (): Promise<WebAnswer> =>
    json(request, { message: await actions.perform(actor, action) } satisfies ActionResult);
  // The patch may have arrived before the hub stopped answering.
  return inTurn(actor.user, async () => answerFailures(perform, "It is not known whether this was done: check again"));
}

/** The page acts only on what the viewer sees, so an answer discloses nothing of the rest. */
function refuseUnseen({ reader }: ActionRouteOptions, viewer: Viewer, target: ActionTarget): WebAnswer | undefined {
  if (!target) {
    if (viewer.canSeeRepository) return undefined;
    return apiError(403, "Forbidden", "The hub's rules do not let you get repositories.rollcall.dev.");
  }
  const isSeen = viewer.canSee(target.workspace) && reader.cluster(target.workspace, target.name) !== undefined;
  return isSeen ? undefined : apiError(404, "NotFound", "There is no such cluster.");
}

function actorOf({ user }: Viewer, { headers }: WebRequest): (Actor & { readonly isCookie: boolean }) | undefined {
  const credential = credentialOf(headers);
  return user === undefined || credential === undefined || "isForeign" in credential
    ? undefined
    : { user, ...credential };
}

function isJson({ headers }: WebRequest): boolean {
  return /^application\/json *(?:;|$)/iu.test(headers["content-type"] ?? "");
}

function readBody(body: Uint8Array): PageAction | undefined {
  const parsed = parseJson(new TextDecoder().decode(body));
  return isJsonObject(parsed) ? readAction(parsed) : undefined;
}

/** The hub decides: what it refuses is answered with its reason. `noAnswer`: the message when it does not answer. */
async function answerFailures(work: () => Promise<WebAnswer>, noAnswer: string): Promise<WebAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error)) throw error;
    switch (error.code) {
      case "E_KUBE_FORBIDDEN":
        return apiError(403, "Forbidden", error.message);
      case "E_KUBE_UNAUTHORIZED":
        return apiError(401, "SignIn", "The hub does not accept this token; it may have ended. Sign in again.");
      case "E_KUBE_NOT_FOUND":
        return apiError(404, "NotFound", error.message);
      case "E_APPROVAL":
      case "E_KUBE_CONFLICT":
      case "E_KUBE_INVALID":
      // A cluster that the daemon does not serve has nothing to revoke.
      case "E_USAGE":
        return apiError(409, "Refused", error.message);
      default:
        return apiError(503, "HubAway", `${noAnswer} (${error.code}).`);
    }
  }
}
