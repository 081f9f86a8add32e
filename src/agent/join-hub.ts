import { backoffMs } from "../core/backoff.ts";
import { AppError, isAppError } from "../core/errors.ts";
import { canonicalJson } from "../core/json.ts";
import { makeIdentity, withNewerKey } from "../join/rollcall/downstream/agent-identity.ts";
import type { AgentIdentity } from "../join/rollcall/downstream/agent-identity.ts";
import { withAnswer } from "../join/rollcall/downstream/membership.ts";
import { makeRegistration, readResult, registrationNameOf } from "../join/rollcall/downstream/registration.ts";
import type { AgentValues } from "../join/rollcall/agent-values.ts";
import type { HubAnswer } from "../join/rollcall/answers.ts";
import type { KubeApi } from "../kube/kube.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import type { AgentContext } from "./agent-context.ts";
import { untilDone } from "./retry.ts";

/**
 * The agent polls, since it may not watch: a right to watch names no object, so it would show it the requests of all others.
 * Most are answered at the first poll.
 */
const firstWaitMs = 100;
/** Where a person must merge a file, one poll in five minutes is enough. */
const answerBackoff = { initialMs: 400, factor: 3 };
/**
 * A hub that has not answered after the first polls is busy, perhaps with a thousand agents at once: then the waits are long and
 * differ little, so that no agent polls more than eleven times in a minute (docs/api-calls.md).
 */
const unansweredBackoff = { initialMs: 150, factor: 4, maximumMs: 3000 };
const busyHub = { fromTry: 5, pauseMs: 9000 };

/**
 * Makes this agent a member of the fleet. Keys are stored before the hub receives them; then follow the registration
 * and its answer, which is stored before the values are deleted. It can be interrupted at any point and resumes.
 */
export async function joinHub(context: AgentContext, signal: AbortSignal): Promise<AgentIdentity> {
  return untilDone(() => joinOnce(context, signal), {
    ...context,
    signal,
    failure: "joining the hub failed",
    backoff: { initialMs: 1000 },
  });
}

async function joinOnce(context: AgentContext, signal: AbortSignal): Promise<AgentIdentity> {
  const { secrets, log, state } = context;
  const values = await readValues(context, signal);
  const identity = await keepIdentity(context, values, signal);
  const answer = await askToJoin(context, { identity, values, signal });
  const nowMs = context.clock.nowMs();
  const joined = await secrets.changeIdentity((held) => {
    const isHeld = held !== undefined && joinsSame(held, identity);
    return withAnswer(isHeld ? held : identity, answer, nowMs);
  }, signal);
  state.isFirstJoin = answer.credential.number === 1;
  log.info("joined the hub", { cluster: answer.clusterName, workspace: identity.workspace });
  await secrets.forgetValues(values, signal);
  return joined;
}

async function readValues({ secrets }: AgentContext, signal: AbortSignal): Promise<AgentValues> {
  const finding = await secrets.readValues(signal);
  if (finding.kind === "values") return finding.values;
  const lack = finding.kind === "none" ? "they are empty" : finding.lack;
  throw new AppError("E_AGENT_VALUES", `read the values to join by: ${lack}`);
}

/**
 * The identity to join by: the keys stay the agent's own for life; where it joins comes from the values. A member of
 * another hub stays that in its Secret until this one lets it in: what is given up here is lost.
 */
async function keepIdentity(context: AgentContext, values: AgentValues, signal: AbortSignal): Promise<AgentIdentity> {
  const { secrets, random } = context;
  const clientID = values.cluster?.clientID ?? (await readClusterUid(context, signal));
  const randomBytes = random.bytes(64);
  const made = makeIdentity(values, clientID, randomBytes);
  const joining = (held: AgentIdentity): AgentIdentity =>
    joinsSame(held, made) ? (withNewerKey(held, values) ?? held) : { ...made, keys: held.keys };
  const kept = await secrets.changeIdentity((held) => {
    if (held === undefined) return made;
    return held.membership === undefined || joinsSame(held, made) ? joining(held) : held;
  }, signal);
  return joining(kept);
}

function joinsSame(one: AgentIdentity, other: AgentIdentity): boolean {
  return one.hubId === other.hubId && one.workspace === other.workspace && one.clientID === other.clientID;
}

/** The default identity of the cluster: the uid of kube-system lasts as long as the cluster. */
async function readClusterUid({ downstreamApi }: AgentContext, signal: AbortSignal): Promise<string> {
  const namespace = await downstreamApi.get({ type: resourceTypes.namespace, name: "kube-system" }, { signal });
  const uid = namespace?.metadata.uid;
  if (uid === undefined) throw new AppError("E_AGENT_VALUES", "read the cluster's identity: no namespace kube-system");
  return uid;
}

interface Asking {
  readonly identity: AgentIdentity;
  readonly values: AgentValues;
  readonly signal: AbortSignal;
}

async function askToJoin(context: AgentContext, asking: Asking): Promise<HubAnswer> {
  const { identity, values, signal } = asking;
  const { api, close } = context.link.bootstrap(identity, values.token.credential);
  try {
    return await awaitAnswer(context, api, asking);
  } catch (error) {
    signal.throwIfAborted();
    await context.link.handleFailure(error, signal);
    throw error;
  } finally {
    await close();
  }
}

async function awaitAnswer(context: AgentContext, hubApi: KubeApi, asking: Asking): Promise<HubAnswer> {
  const { clock, random, log, settings } = context;
  const { identity, values, signal } = asking;
  const name = registrationNameOf(identity, values);
  const ref = { type: resourceTypes.clusterRegistration, namespace: identity.workspace, name };
  let shown = "";
  for (let tries = 0; ; tries++) {
    if (tries === 0) await register(hubApi, makeRegistration(identity, values, settings.version), signal);
    const isBusy = shown === "" && tries >= busyHub.fromTry;
    const backoff = shown === "" ? unansweredBackoff : answerBackoff;
    const waitMs = tries === 0 ? firstWaitMs : backoffMs(tries - 1, random, backoff);
    await clock.sleep(waitMs + (isBusy ? busyHub.pauseMs : 0), signal);
    const registration = await hubApi.get(ref, { signal });
    // The hub collects refused registrations after a while: then the agent asks anew.
    if (registration === undefined) throw new AppError("E_REGISTRATION", `registration ${name} is deleted: ask again`);
    const result = readResult(identity, registration);
    if (result.kind === "granted") return result.answer;
    const { reason = "", message = "" } = result;
    if (reason !== "" && reason !== shown) {
      const fields = { registration: name, reason, message };
      if (result.kind === "refused") log.error("the hub refused the registration", fields);
      else log.info("the registration waits", fields);
      shown = reason;
    }
    // A waiting or refused registration may stay so for days: meanwhile a person may give the agent others.
    if (shown !== "") await refuseOutdated(context, asking);
  }
}

/** E_REGISTRATION when the Secret has other values than those that the agent asks by: then it asks anew. */
async function refuseOutdated({ secrets }: AgentContext, { values, signal }: Asking): Promise<void> {
  const finding = await secrets.readValues(signal);
  if (finding.kind !== "values" || canonicalJson(finding.values) === canonicalJson(values)) return;
  throw new AppError("E_REGISTRATION", "other values to join by were given: ask anew by them");
}

async function register(
  hubApi: KubeApi,
  registration: ReturnType<typeof makeRegistration>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await hubApi.create(registration, { fieldManager: fieldManagers.agent, signal });
  } catch (error) {
    // Made before a restart, or the token's uses are all taken and only its answer may be read.
    if (!isAppError(error, "E_KUBE_EXISTS", "E_KUBE_FORBIDDEN")) throw error;
    const { name, namespace } = registration.metadata;
    const ref = { type: resourceTypes.clusterRegistration, namespace, name };
    if ((await hubApi.get(ref, { signal })) === undefined) throw error;
  }
}
