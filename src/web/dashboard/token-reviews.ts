import type { Clock } from "../../core/clock.ts";
import { sha256Hex } from "../../core/digest.ts";
import type { WaitingLimits } from "./few-at-once.ts";
import { CrowdError, fewAtOnce } from "./few-at-once.ts";
import { ShortMemory } from "../../core/short-memory.ts";

/** Every client may send tokens: the daemon's own calls of the hub must not wait behind their reviews. */
const reviewLimits: WaitingLimits = {
  atOnce: 4,
  waiting: 100,
  refusal: (waiting) => new CrowdError(waiting),
};
/** Tokens that the hub accepted once. */
const mostAccepted = 1000;

export interface TokenReviewOptions<User> {
  readonly clock: Clock;
  /** Asks the hub's TokenReview; undefined when it does not accept the token. */
  readonly review: (token: string) => Promise<User | undefined>;
  /** How long an answer counts. */
  readonly keptMs: number;
  /** Answers that are remembered. */
  readonly most: number;
}

/**
 * Whose a token is, by the hub's answer; undefined when it does not accept it. A token that it accepted before waits only for
 * others like it, and its answer is forgotten only for theirs: a client that sends invalid tokens keeps no user from the page.
 * @throws CrowdError when too many wait; what `review` fails with
 */
export function createTokenReviews<User>(
  options: TokenReviewOptions<User>,
): (token: string) => Promise<User | undefined> {
  const accepted = new Set<string>();
  const [known, others] = [createReviews(options), createReviews(options)];
  return async (token) => {
    const digest = sha256Hex(token);
    const user = await (accepted.has(digest) ? known : others)(digest, token);
    accepted.delete(digest);
    if (user === undefined) return undefined;
    accepted.add(digest);
    const [oldest] = accepted;
    if (accepted.size > mostAccepted && oldest !== undefined) accepted.delete(oldest);
    return user;
  };
}

function createReviews<User>({ clock, review, keptMs, most }: TokenReviewOptions<User>) {
  const answers = new ShortMemory<User | undefined>(clock, { keptMs, most });
  const ask = fewAtOnce(review, reviewLimits);
  return (digest: string, token: string) => answers.recall(digest, () => ask(token));
}
