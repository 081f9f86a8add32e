import type { TLSSocket } from "node:tls";
import type { Clock } from "../../core/clock.ts";
import type { Group } from "../../core/arrivals.ts";
import type { Credential, UserInfo } from "../auth/auth.ts";
import { isMaster } from "../auth/auth.ts";

/** What the TLS layer knows of who is at the other end. */
export type PeerIdentity = Pick<Credential, "certificateSubject" | "isCertificateUntrusted">;

type Account = Pick<UserInfo, "username" | "groups">;

export interface Peer {
  readonly identity: PeerIdentity;
  readonly remoteAddress: string | undefined;
  /** The client proved who it is: its connection no longer counts as a stranger's. */
  readonly isAuthenticated: (user: Account) => void;
}

/** One open connection: a session of HTTP/2, or a socket. */
export interface KnownPeer extends Peer {
  /** False until its client has proved who it is. */
  readonly isTrusted: boolean;
  /** Undefined: an administrator's. */
  readonly group: Group | undefined;
}

/** Administrators have none: what others have open, or send, never costs them a connection. */
export function accountOf(user: Account): string | undefined {
  return isMaster(user) ? undefined : user.username;
}

/** A connection whose client has just proved who it is. */
export interface Trusted extends Pick<TLSSocket, "remoteAddress" | "remotePort"> {
  readonly connection: object;
  readonly group: Group | undefined;
}

/** Who is at the other end of each connection. `onTrusted` is called once for each whose client proves who it is. */
export function knowPeers(
  clock: Pick<Clock, "nowMs">,
  onTrusted: (trusted: Trusted) => void,
): (connection: object, socket: TLSSocket) => KnownPeer {
  const peers = new WeakMap<object, KnownPeer>();
  return (connection, socket) => {
    const known = peers.get(connection);
    if (known !== undefined) return known;
    // Read now: a session without a connection has none.
    const { remoteAddress, remotePort } = socket;
    const { identity, endsAtMs } = identify(socket);
    const state: { isTrusted: boolean; group: Group | undefined } = { isTrusted: false, group: { account: undefined } };
    const peer: KnownPeer = {
      // A connection may outlive the certificate that it began with.
      get identity() {
        return clock.nowMs() > endsAtMs ? { isCertificateUntrusted: true } : identity;
      },
      get isTrusted() {
        return state.isTrusted;
      },
      get group() {
        return state.group;
      },
      remoteAddress,
      isAuthenticated: (user) => {
        if (state.isTrusted) return;
        state.isTrusted = true;
        const account = accountOf(user);
        state.group = account === undefined ? undefined : { account };
        onTrusted({ connection, remoteAddress, remotePort, group: state.group });
      },
    };
    peers.set(connection, peer);
    return peer;
  };
}

/** The identity in the peer's certificate, and its end (by the wall clock). */
export function identify(socket: TLSSocket): { readonly identity: PeerIdentity; readonly endsAtMs: number } {
  const certificate = socket.getPeerCertificate();
  // Node gives an empty object when the client sent none.
  if (Object.keys(certificate).length === 0) return { identity: {}, endsAtMs: Infinity };
  // Node sets the second of these where a later handshake fails, and leaves the first as it was.
  if (!socket.authorized || Boolean(socket.authorizationError))
    return { identity: { isCertificateUntrusted: true }, endsAtMs: Infinity };
  const { CN: commonName = "", O: organizations = [] } = certificate.subject as Partial<
    Record<"CN" | "O", string | string[]>
  >;
  const certificateSubject = {
    commonName: Array.isArray(commonName) ? (commonName.at(-1) ?? "") : commonName,
    organizations: Array.isArray(organizations) ? organizations : [organizations],
    fingerprintSha256: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
  };
  return { identity: { certificateSubject }, endsAtMs: Date.parse(certificate.valid_to) };
}
