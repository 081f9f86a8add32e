import { AppError } from "../../../src/core/errors.ts";
import { textAt } from "../../../src/core/read-json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

type LeaseApi = Pick<KubeApi, "create" | "get" | "update">;

/** Records the names of what is deleted. */
export function deletingApi(deleted: string[]): Pick<KubeApi, "delete"> {
  return {
    delete: (ref, { beforeSend } = {}) => {
      beforeSend?.();
      return Promise.resolve(void deleted.push(ref.name));
    },
  };
}

/** One Lease with the server's rules: compare and swap by version. */
export class LeaseServer {
  lease: KubeObject | undefined;
  /** Identities whose requests fail. */
  readonly unreachable = new Set<string>();
  /** Identities whose writes are done and whose answers are lost. */
  readonly unheard = new Set<string>();
  /** Writes are done at once, and answered when it resolves. */
  answering: Promise<void> | undefined;
  writes = 0;
  #version = 0;

  apiOf(identity: string): LeaseApi {
    const check = () => {
      if (this.unreachable.has(identity)) throw new AppError("E_KUBE_UNREACHABLE", "no answer");
    };
    return {
      get: async () => {
        check();
        return structuredClone(this.lease);
      },
      create: async (object) => {
        check();
        if (this.lease !== undefined) throw new AppError("E_KUBE_EXISTS", "exists");
        const stored = this.#store(object);
        await this.answering;
        return stored;
      },
      update: async (object) => {
        check();
        if (this.lease?.metadata.resourceVersion !== object.metadata.resourceVersion) {
          throw new AppError("E_KUBE_CONFLICT", "changed");
        }
        const stored = this.#store(object);
        await this.answering;
        if (this.unheard.has(identity)) throw new AppError("E_KUBE_UNREACHABLE", "the answer was lost");
        return stored;
      },
    };
  }

  get holder(): string {
    return textAt(this.lease, "spec", "holderIdentity") ?? "";
  }

  #store(object: KubeObject): KubeObject {
    this.writes++;
    const metadata = { ...object.metadata, resourceVersion: String(++this.#version) };
    this.lease = structuredClone({ ...object, metadata });
    return structuredClone(this.lease);
  }
}
