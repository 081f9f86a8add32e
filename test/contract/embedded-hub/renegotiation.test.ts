import { once } from "node:events";
import { connect } from "node:tls";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { identify } from "../../../src/embedded-hub/http/peers.ts";
import type { ClientTls, TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";
import { startListener } from "./listener.ts";

let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub();
});
afterAll(() => hub.stop());

/** Listens, and counts the handshakes of a connection whose client begins another one before its first request. */
async function secondHandshakeOf(tls: ClientTls, { isRenewed }: { readonly isRenewed: boolean }): Promise<unknown> {
  const listener = await startListener(tls, {});
  onTestFinished(() => listener.close());
  if (isRenewed) listener.useCertificate({ certPem: tls.cert, keyPem: tls.key });
  const options = { host: "127.0.0.1", port: listener.port, rejectUnauthorized: false, ...tls };
  const socket = connect({ ...options, maxVersion: "TLSv1.2", ALPNProtocols: ["http/1.1"] });
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  return new Promise((resolve) => {
    socket.once("error", resolve);
    socket.once("close", () => resolve("closed"));
    socket.renegotiate({}, (error) => resolve(error ?? "renegotiated"));
  });
}

describe("A182 a client with a certificate of the hub", () => {
  it.each([{ isRenewed: false }, { isRenewed: true }])(
    "A182 can show no other certificate later on its connection, so becomes no administrator by one of its own making (%o)",
    async (served) => {
      expect(await secondHandshakeOf(hub.tls, served)).toMatchObject({ code: "ERR_SSL_NO_RENEGOTIATION" });
    },
  );

  it("A182 is refused once its last handshake had a certificate of another CA, whatever its first one had", () => {
    const certificate = { subject: { CN: "admin", O: "system:masters" }, valid_to: "Jan  1 00:00:00 2999 GMT" };
    const socket = {
      authorized: true,
      authorizationError: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      getPeerCertificate: () => ({ ...certificate, fingerprint256: "00" }),
    } as unknown as TLSSocket;
    expect(identify(socket).identity).toEqual({ isCertificateUntrusted: true });
  });
});
