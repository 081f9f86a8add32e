import { randomBytes } from "node:crypto";
import { parse } from "yaml";
import { objectAt, textAt } from "../../src/core/read-json.ts";
import { credentialSecretName } from "../../src/model/dialects/fleet.ts";
import { callHub } from "./call-hub.ts";
import type { HubCall, HubCallOptions, SendCall } from "./call-hub.ts";
import { longestWaitMs } from "./until.ts";

/** What an agent finds in its bootstrap Secret. */
export interface FleetBootstrap {
  readonly apiServerURL: string;
  readonly apiServerCA: string;
  readonly clusterNamespace: string;
  readonly systemRegistrationNamespace: string;
  readonly token: string;
  readonly tokenName: string;
}

export interface FleetCredential {
  readonly token: string;
  readonly deploymentNamespace: string;
  readonly clusterNamespace: string;
  readonly clusterName: string;
}

const statusPollMs = 50;

const api = "/apis/fleet.cattle.io/v1alpha1";

/**
 * Makes the calls that Rancher Fleet's agent (0.16) makes to a hub, in its order, as an audit log of the real one shows
 * them; its waits of 2 s and 15 s are shorter. `isOld` leaves out what agents of 0.15 do not send.
 */
export class FleetAgentClient {
  readonly calls: HubCall[] = [];
  readonly #bootstrap: FleetBootstrap;
  readonly #clientID: string;
  readonly #isOld: boolean;
  readonly #send: SendCall;
  #hasReported = false;
  credential: FleetCredential | undefined;

  constructor(
    bootstrap: FleetBootstrap,
    options: { readonly clientID: string; readonly isOld?: boolean; readonly send?: SendCall },
  ) {
    this.#bootstrap = bootstrap;
    this.#send = options.send ?? callHub;
    this.#clientID = options.clientID;
    this.#isOld = options.isOld ?? false;
  }

  /** Asks to join, waits for the answer, and tries the credential. False when there was no answer in time. */
  async register(
    labels: Record<string, string> = {},
    { waitMs = longestWaitMs, pollMs = 50 }: { readonly waitMs?: number; readonly pollMs?: number } = {},
  ): Promise<boolean> {
    const { systemRegistrationNamespace, token } = this.#bootstrap;
    const clientRandom = randomText();
    if ((await this.ask({ labels, clientRandom })).status !== 201) return false;
    const name = credentialSecretName(this.#clientID, clientRandom);
    const endMs = Date.now() + waitMs;
    for (;;) {
      const answer = await this.call("GET", `/api/v1/namespaces/${systemRegistrationNamespace}/secrets/${name}`, {
        token,
      });
      if (answer.status === 200) {
        const text = (key: string): string =>
          Buffer.from(textAt(answer.body, "data", key) ?? "", "base64").toString("utf8");
        this.credential = {
          token: text("token"),
          deploymentNamespace: text("deploymentNamespace"),
          clusterNamespace: text("clusterNamespace"),
          clusterName: text("clusterName"),
        };
        return (await this.listDeployments()).status === 200;
      }
      if (Date.now() > endMs) return false;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** The request alone. */
  ask(
    options: {
      readonly labels?: Record<string, string>;
      readonly clientRandom?: string;
      readonly isDryRun?: boolean;
    } = {},
  ): Promise<HubCall> {
    const { clusterNamespace, token, tokenName } = this.#bootstrap;
    const path = `${api}/namespaces/${clusterNamespace}/clusterregistrations`;
    return this.call("POST", options.isDryRun === true ? `${path}?dryRun=All` : path, {
      token,
      body: {
        apiVersion: "fleet.cattle.io/v1alpha1",
        kind: "ClusterRegistration",
        metadata: {
          generateName: "request-",
          namespace: clusterNamespace,
          ...(this.#isOld ? {} : { labels: { "fleet.cattle.io/registration-token": tokenName } }),
        },
        spec: {
          clientID: this.#clientID,
          clientRandom: options.clientRandom ?? randomText(),
          clusterLabels: { ...options.labels, "fleet.cattle.io/created-by-agent-pod": "agent-pod" },
        },
      },
    });
  }

  /** What a start of the agent tries its credential with. */
  listDeployments(): Promise<HubCall> {
    const { deploymentNamespace = "", token = "" } = this.credential ?? {};
    return this.call("GET", `${api}/namespaces/${deploymentNamespace}/bundledeployments`, { token });
  }

  /** Sends a heartbeat; the first one when its Cluster has a status, for which an agent waits 15 s. */
  async heartbeat(lastSeen = new Date()): Promise<HubCall> {
    const value = { lastSeen: `${lastSeen.toISOString().slice(0, 19)}Z`, namespace: "cattle-fleet-system" };
    for (const endMs = Date.now() + longestWaitMs; ;) {
      const sent = await this.report([{ op: "add", path: "/status/agent", value }]);
      this.#hasReported ||= sent.status === 200;
      if (this.#hasReported || sent.status !== 422 || Date.now() > endMs) return sent;
      await new Promise((resolve) => setTimeout(resolve, statusPollMs));
    }
  }

  /** Patches the status of its Cluster. */
  report(body: readonly object[]): Promise<HubCall> {
    const { clusterNamespace = "", clusterName = "", token = "" } = this.credential ?? {};
    const path = `${api}/namespaces/${clusterNamespace}/clusters/${clusterName}/status`;
    return this.call("PATCH", path, { token, type: "application/json-patch+json", body });
  }

  call(
    method: string,
    path: string,
    options: Pick<HubCallOptions, "token" | "body" | "type" | "accept" | "stopAt">,
  ): Promise<HubCall> {
    const { apiServerURL, apiServerCA } = this.#bootstrap;
    const made = this.#send({ server: apiServerURL, ca: apiServerCA, method, path, ...options });
    return made.then((call) => {
      this.calls.push(call);
      return call;
    });
  }
}

/** What `helm install --values` and the chart make of the text in a token's Secret. */
export function readFleetValues(text: string): FleetBootstrap {
  const values: unknown = parse(text);
  const read = (key: string): string => {
    const value = textAt(values, key);
    if (value === undefined)
      throw new Error(`the values have no ${key}: ${Object.keys(objectAt(values) ?? {}).join()}`);
    return value;
  };
  return {
    apiServerURL: read("apiServerURL"),
    apiServerCA: read("apiServerCA"),
    clusterNamespace: read("clusterNamespace"),
    systemRegistrationNamespace: read("systemRegistrationNamespace"),
    token: read("token"),
    tokenName: read("tokenName"),
  };
}

function randomText(): string {
  const letters = "bcdfghjklmnpqrstvwxz2456789";
  return [...randomBytes(54)].map((byte) => letters[byte % letters.length]).join("");
}
