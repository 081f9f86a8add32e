import { describe, expect, it } from "vitest";
import type { TlsMaterial } from "../../../src/kube/connection.ts";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import { configMapNamed, settings, useScriptedApi } from "./scripted-api.ts";
import { answerJson, answerStatus } from "./scripted-server.ts";

describe("a client certificate that ended", () => {
  const scripted = useScriptedApi();

  /** An API over connections that are kept, and whose certificate has ended by now. */
  async function connected() {
    const { caPem } = scripted.server;
    const files: { material: TlsMaterial } = { material: { caPem } };
    const getTls = () => Promise.resolve(files.material);
    const api = scripted.open({ transport: createUndiciTransport({ ...scripted.server.connection(), getTls }) });
    await Promise.all([api.get(settings), api.get(settings), api.get(settings)]);
    scripted.server.script = ({ clientName }, response) => {
      if (clientName === "agent-7") answerJson(response, 200, configMapNamed("settings"));
      else answerStatus(response, 401, { reason: "Unauthorized" });
    };
    const renew = (): void => {
      const { cert, key } = scripted.server.client;
      files.material = { caPem, certPem: cert, keyPem: key };
    };
    return { api, renew };
  }

  it("is replaced by the renewed one, though its connections are kept", async () => {
    const { api, renew } = await connected();
    renew();
    const all = Array.from({ length: 9 }, () => api.get(settings));
    for (const { metadata } of (await Promise.all(all)).filter((one) => one !== undefined))
      expect(metadata.name).toBe("settings");
  });

  it("is refused once for each request while none is renewed", async () => {
    const { api } = await connected();
    await expect(api.get(settings)).rejects.toMatchObject({ code: "E_KUBE_UNAUTHORIZED" });
    expect(scripted.server.lines).toHaveLength(4);
  });
});
