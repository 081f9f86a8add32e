import { constants } from "node:crypto";
import { isIP } from "node:net";
import { DEFAULT_CIPHERS } from "node:tls";

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

const curves = "X25519:P-256:P-384:P-521";
// OpenSSL 3.5 has a hybrid group that a quantum computer does not break. The first message has a key for it and one for X25519.
// It is not tried: an error of OpenSSL stays, and the next key that is read would report it.
const isHybrid = constants.OPENSSL_VERSION_NUMBER >= 0x30500000;

/**
 * What all connections to other servers agree to. OpenSSL computes a handshake in one piece, in which nothing else has its turn:
 * a group of 10,000 bits, which a server may choose in TLS 1.2 (DHE), takes more than a second, and without the last option a
 * server begins the next handshake whenever it likes, though no request is ever answered. API servers, git servers and
 * forges have elliptic curves.
 */
export const tlsBounds = {
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: isHybrid ? `?*X25519MLKEM768:*${curves}` : curves,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

/**
 * What a server is asked by: its name, never an address, which Node.js 26 refuses; it is verified as either. `host`: without
 * brackets. Source: RFC 6066, 3.
 */
export function serverNameOf(host: string): string {
  return isIP(host) === 0 ? host : "";
}
