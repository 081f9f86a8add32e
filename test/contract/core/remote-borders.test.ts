import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createForgeHttp } from "../../../src/forge/forge-http.ts";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import { createHttpsTransport } from "../../../src/kube/https-transport.ts";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { credentialForms, makeCredential, shownPiece } from "../../support/credential-forms.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { answerJson, answerStatus, startScriptedProxy, startScriptedServer } from "../../unit/kube/scripted-server.ts";
import type { ScriptedServer } from "../../unit/kube/scripted-server.ts";
import { allText, failureOf } from "../git/http-fixture.ts";

const secret = makeCredential().replaceAll(/["\\]/gu, "x");
const forms = credentialForms(secret);
const { configMap, node } = resourceTypes;
const settings = { type: configMap, namespace: "edge", name: "settings" };

/** Where text of another server becomes text of ours: how it sends `text`, and the call that is answered with it. */
interface Border {
  readonly name: string;
  readonly answer: (response: ServerResponse, text: string) => void;
}

const kubeBorders: readonly (Border & { readonly call: (api: KubeApi) => Promise<unknown> })[] = [
  ...[400, 401, 403, 404, 409, 422, 429, 500].map((code) => ({
    name: `a Status ${code}`,
    answer: (response: ServerResponse, text: string) =>
      answerStatus(response, code, { message: text, headers: { "retry-after": "60" } }),
    call: (api: KubeApi) => api.get(settings),
  })),
  {
    name: "reason, causes and details of a Status",
    answer: (response, text) =>
      answerStatus(response, 422, {
        reason: text,
        details: { name: text, causes: [{ reason: text, field: text, message: text }] },
      }),
    call: (api) => api.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: "a", namespace: "b" } }, manager),
  },
  {
    name: "plain text",
    answer: (response, text) => void response.writeHead(403, { "content-type": "text/plain" }).end(text),
    call: (api) => api.list(configMap),
  },
  {
    name: "a type of content",
    answer: (response, text) => void response.writeHead(200, { "content-type": `text/html;${headerText(text)}` }).end(),
    call: (api) => api.list(configMap),
  },
  {
    name: "an ERROR of a watch",
    answer: (response, text) =>
      answerJson(response, 200, { type: "ERROR", object: { kind: "Status", code: 500, message: text } }),
    call: async (api) => {
      for await (const event of api.watch(node, { resourceVersion: "1" })) expect(event).toBeUndefined();
    },
  },
];
const manager = { fieldManager: "test" };

const forgeBorders: readonly Border[] = [
  ...[400, 401, 403, 404, 422, 429, 500].map((code) => ({
    name: `a message with ${code}`,
    answer: (response: ServerResponse, text: string) => answerJson(response, code, { message: text }),
  })),
  {
    name: "a list of errors",
    answer: (response, text) => answerJson(response, 422, { errors: [{ message: text }, { code: text }] }),
  },
  {
    name: "a type of content",
    answer: (response, text) => void response.writeHead(200, { "content-type": headerText(text) }).end("x"),
  },
  { name: "a redirect", answer: (response, text) => void response.writeHead(302, { location: addressOf(text) }).end() },
];

const gitBorders: readonly Border[] = [
  {
    name: "an error of the protocol",
    answer: (response, text) => {
      const line = `ERR ${text}\n`;
      const length = (Buffer.byteLength(line) + 4).toString(16).padStart(4, "0");
      response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" });
      response.end(`${length}${line}0000`);
    },
  },
  ...[401, 403, 404, 500].map((code) => ({
    name: `a page with ${code}`,
    answer: (response: ServerResponse, text: string) => void response.writeHead(code).end(text),
  })),
  {
    name: "a type of content",
    answer: (response, text) => void response.writeHead(200, { "content-type": headerText(text) }).end("x"),
  },
  { name: "a redirect", answer: (response, text) => void response.writeHead(302, { location: addressOf(text) }).end() },
];

// Each server knows our credential, since we send it, and echoes it in every form.
describe("A55 a credential that another server echoes is in no error", () => {
  let said: (response: ServerResponse) => void = () => undefined;
  const plain = createServer((_request, response) => said(response));
  let tls: ScriptedServer;
  let address: string;
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  beforeAll(async () => {
    folder = await makeTempFolder();
    tls = await startScriptedServer((_request, response) => said(response));
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    plain.closeAllConnections();
    plain.close();
    await tls.stop();
    await folder.remove();
  });
  const expectClean = (error: unknown, form: string): void =>
    expect(shownPiece(allText(error), secret).length, form).toBeLessThan(8);
  const clock = { ...realClock, sleep: async () => undefined };

  for (const [name, createTransport] of Object.entries({ createUndiciTransport, createHttpsTransport })) {
    it.each(kubeBorders)(`A55 an API server, by ${name}, in $name`, async ({ answer, call }) => {
      const transport = createTransport(tls.connection({ token: secret }));
      const api = createKubeApi({ transport, clock, random: realRandom });
      for (const { name: form, text } of forms) {
        said = (response) => answer(response, text);
        expectClean(await failureOf(call(api)), form);
      }
      said = (response) => void response.end(forms.map(({ text }) => text).join("\n"));
      expect(shownPiece((await api.getRaw("/version")).text, secret).length).toBeLessThan(8);
      await api.close();
    });
  }

  it.each(forgeBorders)("A55 a forge, in $name", async ({ answer }) => {
    for (const { name: form, text } of forms) {
      const headers = { authorization: `Bearer ${secret}` };
      const http = createForgeHttp({ apiUrl: address, token: secret, headers, clock: realClock });
      said = (response) => answer(response, text);
      expectClean(await failureOf(http.send({ action: "read it", method: "GET", path: "/x" })), form);
      await http.close();
    }
  });

  it.each(gitBorders)("A55 a git server, in $name", async ({ answer }) => {
    const engine = await openGitEngine({
      url: `${address}/fleet.git`,
      cacheDir: join(folder.path, "cache"),
      isLocalAllowed: true,
      credentials: { kind: "token", secret },
      clock: realClock,
      random: realRandom,
    });
    for (const { name: form, text } of forms) {
      said = (response) => answer(response, text);
      expectClean(await failureOf(engine.fetchHead("main")), form);
    }
    await engine.close();
  });
});

/** Calls of servers by a proxy, which sends its own password on; each of them also sends a token. */
const proxied: readonly {
  readonly name: string;
  readonly answer: Border["answer"];
  readonly call: (server: ScriptedServer, proxyUrl: string) => Promise<unknown>;
}[] = [
  ...Object.entries({ createUndiciTransport, createHttpsTransport }).map(([name, createTransport]) => ({
    name: `an API server, by ${name}`,
    answer: (response: ServerResponse, text: string) => answerStatus(response, 400, { message: text }),
    call: async (server: ScriptedServer, proxyUrl: string) => {
      const transport = createTransport(server.connection({ token: "another-secret", proxyUrl }));
      const api = createKubeApi({ transport, clock: realClock, random: realRandom });
      onTestFinished(() => api.close());
      return api.get(settings);
    },
  })),
  {
    name: "a forge",
    answer: (response, text) => answerJson(response, 400, { message: text }),
    call: async (server, proxyUrl) => {
      const token = "another-secret";
      const options = { apiUrl: server.url, caBundle: server.caPem, proxyUrl, token, headers: {}, clock: realClock };
      const http = createForgeHttp(options);
      onTestFinished(() => http.close());
      return http.send({ action: "read it", method: "GET", path: "/x" });
    },
  },
];

describe("A55 the password of a proxy, where there is a token too", () => {
  it.each(proxied)("A55 is in no error of $name", async ({ answer, call }) => {
    const proxy = await startScriptedProxy();
    onTestFinished(proxy.stop);
    const password = "p4ssw0rd-of-the-proxy";
    const proxyUrl = proxy.url.replace("http://", `http://user:${password}@`);
    const server = await startScriptedServer((_request, response) => answer(response, `for ${password} at last`));
    onTestFinished(server.stop);
    const text = allText(await failureOf(call(server, proxyUrl)));
    expect(proxy.asked).toHaveLength(1);
    expect(text).toContain("at last");
    expect(shownPiece(text, password).length).toBeLessThan(8);
  });
});

/** What of a text a header may have. */
function headerText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/gu, "");
}

function addressOf(text: string): string {
  return `https://other.example:1/${encodeURIComponent(text)}/${headerText(text).replaceAll(/[^\w]/gu, "")}`;
}
