import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { explainTls } from "../../../src/http/explain-tls.ts";
import { describeHandshake, failureOf } from "../../../src/http/failure.ts";

/** The error of a TLS connection to a server that answers with `bytes`. */
async function errorOf(bytes: string | Buffer): Promise<Error> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => connect({ port, host: "127.0.0.1" }).once("error", resolve));
}

describe("explainTls", () => {
  it("names a server that does not speak TLS, without places in the memory or the source of OpenSSL", async () => {
    const failure = failureOf(await errorOf("HTTP/1.1 400 Bad Request\r\n\r\n"));
    expect(failure.kind).toBe("handshake");
    expect(describeHandshake(failure)).toMatch(/^the server does not speak TLS at this port \([a-z ]+\)$/u);
    expect(explainTls(failure)).toMatchObject({
      reason: `TLS failed: ${describeHandshake(failure)}`,
      remedy: expect.stringContaining("Check the address, its port") as string,
    });
  });

  it("has OpenSSL's reason where the server refuses the handshake", async () => {
    // An alert of TLS 1.2: fatal, handshake failure.
    const failure = failureOf(await errorOf(Buffer.from([21, 3, 3, 0, 2, 2, 40])));
    expect(failure.kind).toBe("handshake");
    expect(describeHandshake(failure)).toMatch(/^(?:sslv3|ssl\/tls) alert handshake failure$/u);
  });

  it("names the certificate, and leaves other failures alone", () => {
    const failureWith = (code: string) => failureOf(Object.assign(new Error("failed"), { code }));
    expect(explainTls(failureWith("CERT_HAS_EXPIRED"))).toMatchObject({
      reason: "its certificate is not trusted (CERT_HAS_EXPIRED); give its CA as caBundle",
      remedy: expect.stringContaining("--git-ca-file") as string,
    });
    expect(describeHandshake(failureWith("EPROTO"))).toBe("EPROTO");
    const message =
      "write EPROTO 80:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../ssl3_record.c:350:";
    const broken = Object.assign(new Error(message), { code: "EPROTO" });
    expect(describeHandshake(failureOf(broken))).toContain("does not speak TLS at this port (wrong version number)");
    expect(explainTls(failureWith("ECONNREFUSED"))).toBeUndefined();
  });
});
