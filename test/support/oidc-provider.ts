// An issuer of OpenID Connect for tests: https on loopback, one client, and one user who is signed in without a question.
import { createSign, generateKeyPairSync, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { makeControlPlaneKeys } from "./control-plane-keys.ts";

export interface OidcUser {
  readonly email: string;
  readonly groups: readonly string[];
}

export interface OidcProvider {
  readonly issuer: string;
  readonly caPem: string;
  /** An ID token of the user, as a sign-in would give it. Default: for the client of the provider. */
  idToken(user: OidcUser, claims?: Readonly<Record<string, unknown>>): string;
  stop(): Promise<void>;
}

const lifetimeSeconds = 600;

/** Starts the issuer. A client that asks for a sign-in gets the code of `user` at once. */
export async function startOidcProvider(clientId: string, user: OidcUser): Promise<OidcProvider> {
  const { ca, server: tls } = await makeControlPlaneKeys();
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const nonces = new Map<string, string>();
  let issuer = "";

  const idToken: OidcProvider["idToken"] = ({ email, groups }, claims = {}) => {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + lifetimeSeconds };
    const named = { iss: issuer, aud: clientId, sub: email, email, email_verified: true, groups };
    const signed = [
      { alg: "RS256", typ: "JWT", kid: "test" },
      { ...named, ...times, ...claims },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    return `${signed}.${createSign("sha256").update(signed).sign(keys.privateKey).toString("base64url")}`;
  };

  const documents = (): Readonly<Record<string, object>> => ({
    "/.well-known/openid-configuration": {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    },
    "/keys": { keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid: "test", use: "sig", alg: "RS256" }] },
  });

  const signIn = (asked: URLSearchParams, response: ServerResponse): void => {
    const code = randomUUID();
    nonces.set(code, asked.get("nonce") ?? "");
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    response.writeHead(302, { Location: back.href }).end();
  };

  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const code = new URLSearchParams(await readText(request)).get("code") ?? "";
    const nonce = nonces.get(code);
    nonces.delete(code);
    if (nonce === undefined) return void answer(response, 400, { error: "invalid_grant" });
    const token = idToken(user, nonce === "" ? {} : { nonce });
    answer(response, 200, { access_token: "a", token_type: "Bearer", expires_in: lifetimeSeconds, id_token: token });
  };

  const server = createServer(tls, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", issuer);
    const document = documents()[pathname];
    if (document !== undefined) answer(response, 200, document);
    else if (pathname === "/authorize") signIn(searchParams, response);
    else if (pathname === "/token") void exchange(request, response);
    else answer(response, 404, {});
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    caPem: ca.cert,
    idToken,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
