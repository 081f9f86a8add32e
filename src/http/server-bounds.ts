import { constants } from "node:crypto";
import { createSecureContext, DEFAULT_CIPHERS } from "node:tls";

/** Answers of a status below 200 before the answer itself; API servers and git servers send one at most. */
const mostInterimAnswers = 16;

/**
 * Counts the interim answers (1xx) to one request, one with each call; `refuse` gets an error when there are more than 16. No
 * bound of the clients ends these, since each of them is a whole head.
 */
export function countInterimAnswers(refuse: (error: Error) => void): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > mostInterimAnswers) refuse(new Error(`more than ${mostInterimAnswers} interim answers (1xx) came`));
  };
}

// Before the curves, the hybrid group that a quantum computer does not break; both with a key in the first message.
let ecdhCurve = "*X25519MLKEM768:*X25519:P-256:P-384:P-521";
try {
  createSecureContext({ ecdhCurve });
} catch {
  // OpenSSL before 3.5
  ecdhCurve = "X25519:P-256:P-384:P-521";
}

/**
 * What all connections to other servers agree to. OpenSSL computes a handshake in one piece, in which nothing else has its turn:
 * a group of 10,000 bits, which a server may choose in TLS 1.2 (DHE), takes more than a second, and without the last option a
 * server begins the next handshake whenever it likes, though no request is ever answered. API servers, git servers and
 * forges have elliptic curves.
 */
export const tlsBounds = {
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};
