import { objectsAt, textAt } from "../../src/core/read-json.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { callHub } from "./call-hub.ts";
import type { HubCall, SendCall } from "./call-hub.ts";

const group = "/apis/clusters.clusternet.io/v1beta1";
const requests = `${group}/clusterregistrationrequests`;

export interface ClusternetAgentOptions {
  readonly server: string;
  /** The CA that the answer must hold: the real agent checks nothing before it has it. */
  readonly ca: string;
  /** The credential that the agent was installed with. */
  readonly token: string;
  readonly clusterId: string;
  readonly clusterName: string;
  /** As its flag --cluster-labels gives them. */
  readonly labels: Readonly<Record<string, string>>;
  readonly syncMode?: string;
  /** Default: by HTTPS. */
  readonly send?: SendCall;
}

interface Answer {
  readonly token: string;
  readonly namespace: string;
}

/**
 * Makes the calls that Clusternet's agent makes to a hub, in its order and form, as an audit log of the real one shows them:
 * a request, a read of it each five seconds until it is approved, one list, and for each heartbeat one PUT of a whole status,
 * with a merge patch of the labels before it when those of its nodes changed.
 */
export class ClusternetAgentClient {
  readonly calls: HubCall[] = [];
  readonly #options: ClusternetAgentOptions;
  answer: Answer | undefined;
  #managed: JsonObject | undefined;
  #seconds = 0;

  constructor(options: ClusternetAgentOptions) {
    this.#options = options;
  }

  get requestName(): string {
    return `clusternet-${this.#options.clusterId}`;
  }

  /** The credential that it was installed with. */
  get doorToken(): string {
    return this.#options.token;
  }

  /** Asks to join, with what it has: 201, 409 where it asked before, or a refusal. */
  async ask(token = this.#options.token): Promise<HubCall> {
    const { clusterId, clusterName, labels, syncMode = "Pull" } = this.#options;
    const body = {
      kind: "ClusterRegistrationRequest",
      apiVersion: "clusters.clusternet.io/v1beta1",
      metadata: {
        name: this.requestName,
        creationTimestamp: null,
        labels: {
          "clusters.clusternet.io/cluster-id": clusterId,
          "clusters.clusternet.io/cluster-name": clusterName,
          "clusters.clusternet.io/registered-by": "clusternet-agent",
        },
      },
      spec: { clusterId, clusterType: "StandardCluster", clusterName, syncMode, clusterLabels: labels },
      status: {},
    };
    return this.call("POST", requests, { token, body });
  }

  /** Reads once whether it was admitted, and takes the answer if it was. */
  async look(token = this.#options.token): Promise<boolean> {
    const seen = await this.call("GET", `${requests}/${this.requestName}`, { token });
    if (textAt(seen.body, "status", "result") !== "Approved") return false;
    const decode = (key: string): string =>
      Buffer.from(textAt(seen.body, "status", key) ?? "", "base64").toString("utf8");
    if (decode("caCertificate") !== this.#options.ca) throw new Error("the answer has another CA than the hub");
    this.answer = { token: decode("token"), namespace: textAt(seen.body, "status", "dedicatedNamespace") ?? "" };
    this.#managed = undefined;
    return true;
  }

  /** Starts again with the answer that it kept, as the real one does: it asks once more and reads the answer anew. */
  async restart(): Promise<boolean> {
    const { token } = this.#answer();
    const asked = await this.ask(token);
    return (asked.status === 409 || asked.status === 201) && (await this.look(token));
  }

  /** Reports the state of its cluster. Labels with the prefix of node labels are put on the ManagedCluster before. */
  async heartbeat(
    said: {
      readonly isWell?: boolean;
      readonly nodeLabels?: Readonly<Record<string, string>>;
      readonly status?: JsonObject;
    } = {},
  ): Promise<HubCall> {
    const { token } = this.#answer();
    const path = this.#managedClusters;
    if (this.#managed === undefined) {
      const selector = encodeURIComponent(`clusters.clusternet.io/cluster-id=${this.#options.clusterId}`);
      const list = await this.call("GET", `${path}?labelSelector=${selector}`, { token });
      this.#managed = objectsAt(list.body, "items")[0];
      // The real one warns, and reads it again at its next heartbeat.
      if (this.#managed === undefined) return list.status === 200 ? { ...list, status: 404 } : list;
    }
    const name = textAt(this.#managed, "metadata", "name") ?? "";
    const patch = this.#labelPatch(said.nodeLabels ?? {});
    if (patch !== undefined) {
      const type = "application/merge-patch+json";
      const patched = await this.call("PATCH", `${path}/${name}`, { token, body: patch, type });
      if (patched.status !== 200) return patched;
      this.#managed = patched.body as JsonObject;
    }
    const put = (): Promise<HubCall> =>
      this.call("PUT", `${path}/${name}/status`, {
        token,
        body: { ...this.#managed, status: { ...this.#status(said.isWell ?? true), ...said.status } },
      });
    let written = await put();
    if (written.status === 409) {
      const fresh = await this.call("GET", `${path}/${name}`, { token });
      if (fresh.status === 200) this.#managed = fresh.body as JsonObject;
      written = await put();
    }
    if (written.status === 200) this.#managed = written.body as JsonObject;
    return written;
  }

  async call(
    method: string,
    path: string,
    more: { readonly token?: string; readonly body?: unknown; readonly type?: string } = {},
  ): Promise<HubCall> {
    const { server, ca, send = callHub } = this.#options;
    const { token = this.#answer().token, ...rest } = more;
    const made = await send({ server, ca, token, method, path, ...rest });
    this.calls.push(made);
    return made;
  }

  #answer(): Answer {
    if (this.answer === undefined) throw new Error("the agent was not let in");
    return this.answer;
  }

  get #managedClusters(): string {
    return `${group}/namespaces/${this.#answer().namespace}/managedclusters`;
  }

  /** The labels of its nodes replace all with their prefix; every other label stays. */
  #labelPatch(nodeLabels: Readonly<Record<string, string>>): JsonObject | undefined {
    const labels = Object.keys((this.#managed?.["metadata"] as { labels?: JsonObject }).labels ?? {});
    const gone = labels.filter((key) => key.startsWith("node.clusternet.io/") && !(key in nodeLabels));
    const changed = Object.entries(nodeLabels).filter(
      ([key, value]) => textAt(this.#managed, "metadata", "labels", key) !== value,
    );
    if (gone.length === 0 && changed.length === 0) return undefined;
    return {
      metadata: { labels: { ...Object.fromEntries(gone.map((key) => [key, null])), ...Object.fromEntries(changed) } },
    };
  }

  #status(isWell: boolean): JsonObject {
    // Heartbeats of the real one are seconds apart, and its times have no smaller unit.
    const time = new Date(Date.now() + 1000 * this.#seconds++).toISOString().replace(/\.\d{3}Z$/u, "Z");
    const status = isWell ? "True" : "False";
    return {
      lastObservedTime: time,
      k8sVersion: "v1.34.4",
      agentVersion: "v0.18.0",
      platform: "linux/amd64",
      apiserverURL: "https://10.0.0.1:6443",
      healthz: isWell,
      livez: isWell,
      readyz: isWell,
      appPusher: false,
      useSocket: false,
      kubeQPS: 50,
      kubeBurst: 100,
      allocatable: { cpu: "7800m", memory: "15Gi" },
      capacity: { cpu: "8", memory: "16Gi" },
      clusterCIDR: "10.244.0.0/16",
      serviceCIDR: "10.96.0.0/12",
      nodeStatistics: { readyNodes: 2, notReadyNodes: 1 },
      podStatistics: {},
      resourceUsage: {},
      conditions: [
        {
          type: "Ready",
          status,
          reason: isWell ? "ManagedClusterReady" : "ManagedClusterNotReady",
          message: isWell ? "managed cluster is ready." : "managed cluster is not ready.",
          lastTransitionTime: "2030-01-01T00:00:00Z",
        },
      ],
      heartbeatFrequencySeconds: 180,
      predictorEnabled: false,
      predictorDirectAccess: false,
    };
  }
}
