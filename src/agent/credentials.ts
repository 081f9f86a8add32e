import { backoffMs } from "../core/backoff.ts";
import { AppError, describeError } from "../core/errors.ts";
import {
  makeRenewal,
  nextNonce,
  readRenewal,
  renewalDueAtMs,
  withRenewal,
} from "../join/rollcall/downstream/membership.ts";
import type { AgentContext } from "./agent-context.ts";
import type { CallOptions, Credential } from "./hub-link.ts";
import type { RenewOnce } from "./renew-once.ts";
import { createRenewOnce } from "./renew-once.ts";
import { goBack } from "./go-back.ts";
import { takeReadmission } from "./take-readmission.ts";
import { isCredentialProblem, sleptFor, untilDone } from "./retry.ts";
import { writeReport } from "./write-report.ts";
import { membershipOf, reportRefOf } from "./membership-of.ts";

/** How long an answer is waited for before the agent asks anew. */
const answerTimeoutMs = 120_000;

/** A credential that was refused again so soon was not what was wrong. */
const settledAfterMs = 10 * 60_000;

/**
 * Keeps the working credential valid, and asks for another one by the recovery credential whenever the hub refuses it (401,
 * 403): one try at a time, with back-off. Any other failure is none of its business.
 */
export interface Credentials {
  /** Renews the credential whenever two thirds of its life have passed, until the signal is aborted. */
  keepRenewing(signal: AbortSignal): Promise<void>;
  stop(): void;
}

export interface CredentialsOptions {
  readonly signal: AbortSignal;
  /** The recovery credential is refused too, and there are values to join by anew. */
  readonly onDead: () => void;
  /** It is refused under the name that the agent was to go on by: it is what it was before. */
  readonly onMoved: () => void;
}

export function createCredentials(context: AgentContext, { signal, onDead, onMoved }: CredentialsOptions): Credentials {
  const { clock, log, state } = context;
  const numberInUse = () => membershipOf(context).credential.number;
  const renewOnce = createRenewOnce(numberInUse, (credential) => renew(context, credential, signal));
  let recovering: Promise<void> | undefined;
  let refusals = 0;
  let recoveredMs = -Infinity;

  const recover = async (): Promise<void> => {
    const number = numberInUse();
    const attempt = refusals++;
    await clock.sleep(backoffMs(attempt, context.random, { initialMs: 500 }), signal);
    // An API server that is ill refuses good credentials too, and a new one's rights take a moment to arrive; so it is
    // asked twice, and nothing is ever thrown away.
    if (await isAccepted(context, signal)) {
      if (clock.monotonicMs() - recoveredMs > settledAfterMs) refusals = 0;
      return;
    }
    log.warn("the hub refuses the working credential; asking for another", { attempt: attempt + 1 });
    try {
      await renewOnce(numberInUse(), "recovery");
      recoveredMs = clock.monotonicMs();
    } catch (error) {
      if (!isCredentialProblem(error)) throw error;
      log.error("the hub refuses the recovery credential too", { number, error: describeError(error) });
      if (await takeReadmission(context, signal)) {
        refusals = 0;
        return;
      }
      if (await goBack(context, signal)) return onMoved();
      const finding = await context.secrets.readValues(signal);
      if (finding.kind === "values") onDead();
    }
  };
  const stopListening = context.link.onRefusal(() => {
    if (recovering !== undefined || signal.aborted) return;
    if (clock.monotonicMs() - recoveredMs > settledAfterMs && recoveredMs > 0) {
      refusals = 0;
      recoveredMs = -Infinity;
    }
    recovering = recover()
      .catch((error: unknown) => {
        if (!signal.aborted) log.warn("asking for another credential failed", { error: describeError(error) });
      })
      .finally(() => {
        recovering = undefined;
      });
  });

  return {
    stop: stopListening,
    async keepRenewing(loopSignal) {
      while (!loopSignal.aborted) {
        const membership = membershipOf(context);
        const { number } = membership.credential;
        const waitMs = renewalDueAtMs(membership.credential) - clock.nowMs();
        // An answer that is not waited for would be a credential that works and that no agent has.
        if (waitMs > 0 && state.unanswered !== number) {
          // In pieces of a heartbeat period, of one to ten minutes: a machine that slept, or another credential by recovery, must
          // not leave it waiting for hours.
          const pieceMs = Math.min(waitMs, 600_000, Math.max(60_000, membership.heartbeatPeriodSeconds * 1000));
          // Up to a tenth longer: agents that joined together do not renew together.
          await sleptFor(clock, pieceMs * (1 + context.random.next() * 0.1), loopSignal);
          continue;
        }
        log.info("renewing the working credential", { number });
        const renewOne = () => renewNumber(number, renewOnce);
        const failure = "renewing the working credential failed";
        await untilDone(renewOne, { ...context, signal: loopSignal, failure, backoff: { initialMs: 5000 } });
      }
    },
  };
}

/** Renews credential `number`, unless another is in use meanwhile. */
async function renewNumber(number: number, renewOnce: RenewOnce): Promise<void> {
  try {
    await renewOnce(number, "working");
  } catch (error) {
    if (!isCredentialProblem(error)) throw error;
    await renewOnce(number, "recovery");
  }
}

/** Whether the working credential is good for the least that it is for. */
async function isAccepted(context: AgentContext, signal: AbortSignal): Promise<boolean> {
  const ref = reportRefOf(context);
  try {
    await context.link.call((api) => api.get(ref, { signal }), { isQuiet: true, signal });
    return true;
  } catch (error) {
    if (!isCredentialProblem(error)) throw error;
    return false;
  }
}

/** Asks, waits for the answer, stores it, and reports that it is in use. */
async function renew(context: AgentContext, credential: Credential, signal: AbortSignal): Promise<void> {
  const { secrets, clock, log, state } = context;
  // Stored before it is sent: a nonce is used once, whenever this process stops.
  const identity = await secrets.changeIdentity((held) => {
    if (held === undefined) throw new AppError("E_BUG", "renew a credential: this agent has no identity");
    return { ...held, lastNonce: nextNonce(held, clock.nowMs()) };
  }, signal);
  const nonce = identity.lastNonce;
  const ref = reportRefOf(context);
  const membership = membershipOf(context);
  const renewal = makeRenewal(identity, membership, nonce);
  const options = { credential, isQuiet: true, signal };
  try {
    await writeReport(context, { renewal }, options);
    state.unanswered = membership.credential.number;
  } catch (error) {
    // Whatever else it fails with, the hub may have it.
    if (!isCredentialProblem(error)) state.unanswered = membership.credential.number;
    throw error;
  }
  const answer = await awaitRenewal(context, nonce, options);
  const renewed = await secrets.changeIdentity((held = identity) => {
    // If it has moved to another cluster meanwhile, it needs no credential of the previous one.
    const isSame = held.workspace === ref.namespace && held.membership?.clusterName === ref.name;
    return isSame ? withRenewal(held, answer, clock.nowMs()) : held;
  }, signal);
  if (renewed.membership?.credential.number !== answer.credential.number) return;
  log.info("the working credential was renewed", {
    number: answer.credential.number,
    expiresAt: answer.credential.expiresAt,
  });
  // Only now does the hub revoke the previous one.
  await writeReport(context, { credentialNumber: answer.credential.number, renewal: null }, { signal });
}

async function awaitRenewal(context: AgentContext, nonce: number, options: CallOptions) {
  const { link, clock, random, secrets } = context;
  const { signal } = options;
  const ref = reportRefOf(context);
  const endMs = clock.monotonicMs() + answerTimeoutMs;
  for (let tries = 0; clock.monotonicMs() < endMs; tries++) {
    await clock.sleep(backoffMs(tries, random, { initialMs: 500, maximumMs: 20_000 }), signal);
    const report = await link.call((api) => api.get(ref, { signal }), options);
    const identity = secrets.identity;
    const answer = report && identity ? readRenewal(identity, report, nonce) : undefined;
    if (answer !== undefined) return answer;
  }
  throw new AppError("E_RENEWAL", `renew the credential of ${ref.namespace}/${ref.name}: no answer in time`);
}
