import { objectAt, objectsAt, textAt } from "../../src/core/read-json.ts";
import { callHub } from "./call-hub.ts";
import type { HubCall, SendCall } from "./call-hub.ts";

const cluster = "/apis/cluster.kubernetes-fleet.io/v1beta1";
const placement = "/apis/placement.kubernetes-fleet.io/v1beta1";

export interface KubefleetAgentOptions {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
  readonly clusterName: string;
  /** Default: by HTTPS. */
  readonly send?: SendCall;
}

/**
 * Makes the calls that KubeFleet's member agent makes to a hub, in its order and form, as an audit log of the real one shows
 * them: discovery, lists and watches of two kinds, an event, and one PUT of a whole status for each heartbeat.
 */
export class KubefleetAgentClient {
  readonly calls: HubCall[] = [];
  readonly #options: KubefleetAgentOptions;
  readonly #home: string;
  #seconds = 0;

  constructor(options: KubefleetAgentOptions) {
    this.#options = options;
    this.#home = `fleet-member-${options.clusterName}`;
  }

  /** What a start asks, up to both watches; they end at once by their own time-out. */
  async start(): Promise<void> {
    for (const path of ["/api", "/apis", cluster, placement]) await this.call("GET", path);
    for (const path of [this.#internals, this.#works]) {
      const list = await this.call("GET", `${path}?limit=500&resourceVersion=0`);
      const version = textAt(list.body, "metadata", "resourceVersion") ?? "0";
      const options = "allowWatchBookmarks=true&timeoutSeconds=1&watch=true";
      await this.call("GET", `${path}?${options}&resourceVersion=${version}`);
    }
    await this.call("POST", `/api/v1/namespaces/${this.#home}/events`, this.#event());
  }

  /** Reports its state: the object as it was read, with a status that replaces the old one. */
  async heartbeat(
    said: { readonly joined?: "True" | "False"; readonly healthy?: "True" | "False" } = {},
  ): Promise<HubCall> {
    const { clusterName } = this.#options;
    const list = await this.call("GET", `${this.#internals}?limit=500&resourceVersion=0`);
    const internal = objectsAt(list.body, "items").find((item) => textAt(item, "metadata", "name") === clusterName);
    const body = {
      ...internal,
      apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
      kind: "InternalMemberCluster",
      status: this.#status(said, Number(objectAt(internal, "metadata")?.["generation"] ?? 1)),
    };
    return this.call("PUT", `${this.#internals}/${clusterName}/status`, body);
  }

  /** What the hub wants of it. */
  async state(): Promise<string | undefined> {
    const list = await this.call("GET", `${this.#internals}?limit=500&resourceVersion=0`);
    return textAt(objectsAt(list.body, "items")[0], "spec", "state");
  }

  async call(method: string, path: string, body?: unknown): Promise<HubCall> {
    const { server, ca, token, send = callHub } = this.#options;
    const made = await send({ server, ca, token, method, path, ...(body === undefined ? {} : { body }) });
    this.calls.push(made);
    return made;
  }

  get #internals(): string {
    return `${cluster}/namespaces/${this.#home}/internalmemberclusters`;
  }

  get #works(): string {
    return `${placement}/namespaces/${this.#home}/works`;
  }

  #status(
    { joined = "True", healthy = "True" }: Parameters<KubefleetAgentClient["heartbeat"]>[0] = {},
    generation = 1,
  ) {
    // Heartbeats of the real one are seconds apart, and its times have no smaller unit.
    const time = new Date(Date.now() + 1000 * this.#seconds++).toISOString().replace(/\.\d{3}Z$/u, "Z");
    const condition = (type: string, status: string, reason: string) => {
      const at = { lastTransitionTime: time, observedGeneration: generation };
      return { type, status, reason, message: "", ...at };
    };
    const isJoined = joined === "True";
    return {
      conditions: null,
      agentStatus: [
        {
          type: "MemberAgent",
          conditions: [
            condition("Healthy", healthy, `InternalMemberCluster${healthy === "True" ? "Healthy" : "Unhealthy"}`),
            condition("Joined", joined, `InternalMemberCluster${isJoined ? "Joined" : "Left"}`),
          ],
          lastReceivedHeartbeat: time,
        },
      ],
      properties: { "kubernetes-fleet.io/node-count": { value: "2", observationTime: time } },
      resourceUsage: {
        capacity: { cpu: "8", memory: "16Gi" },
        allocatable: { cpu: "7800m", memory: "15Gi" },
        available: { cpu: "4", memory: "9Gi" },
        observationTime: time,
      },
    };
  }

  #event() {
    const { clusterName } = this.#options;
    const time = new Date().toISOString();
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: `${clusterName}.${Date.now().toString(16)}`, namespace: this.#home },
      involvedObject: {
        apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
        kind: "InternalMemberCluster",
        name: clusterName,
        namespace: this.#home,
      },
      reason: "InternalMemberClusterJoined",
      message: "internal member cluster has joined",
      type: "Normal",
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      source: { component: "v1beta1InternalMemberClusterController" },
    };
  }
}
