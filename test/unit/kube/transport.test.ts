import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { transportErrorOf } from "../../../src/kube/transport.ts";

const server = "https://hub.example";

function failed(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

describe("transportErrorOf", () => {
  it.each([
    {
      error: failed("ECONNREFUSED", "connect ECONNREFUSED 10.0.0.1:443"),
      failure: "unreachable",
      code: "E_KUBE_UNREACHABLE",
      message: `${server}: connect ECONNREFUSED 10.0.0.1:443`,
      cause: "ECONNREFUSED",
    },
    {
      error: failed("ECONNRESET", ""),
      failure: "closed",
      code: "E_KUBE_UNREACHABLE",
      message: `${server}: ECONNRESET`,
      cause: "ECONNRESET",
    },
    {
      error: failed("CERT_HAS_EXPIRED", "certificate has expired\u001b[31m"),
      failure: "tls",
      code: "E_KUBE_TLS",
      message: expect.stringMatching(
        /^https:\/\/hub\.example: TLS failed: certificate has expired(?!\u001b)/u,
      ) as string,
      cause: "CERT_HAS_EXPIRED",
    },
    {
      error: "a text",
      failure: "unreachable",
      code: "E_KUBE_UNREACHABLE",
      message: `${server}: a text`,
      cause: "",
    },
  ])("names the server and the fault: $message", ({ error, failure, code, message, cause }) => {
    const made = transportErrorOf(error, server);
    expect(made).toMatchObject({ failure, code, message, data: { cause } });
    expect(made.cause).toBe(error);
  });

  it("leaves an error of the program as it is", () => {
    const error = new AppError("E_KUBECONFIG", "no PEM");
    expect(transportErrorOf(error, server)).toBe(error);
  });
});
