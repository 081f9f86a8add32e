import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { KeyPair } from "../certificates/authority.ts";
import { clientSigner, requestPemOf } from "../certificates/client-signer.ts";
import { controllerQueue, timestampOf } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";

const group = "certificates.k8s.io";
const plural = "certificatesigningrequests";

/**
 * Answers approved requests for client certificates of the hub, one after the other. Requests of other signers are theirs.
 * Source: Kubernetes, pkg/controller/certificates/signer.
 */
export function startCertificateSigner(scope: ControllerScope, authority: KeyPair): Controller {
  const writer = hubWriter(scope.operations, "certificate-controller");
  const queue = controllerQueue({
    scope,
    name: "certificate-signer",
    work: async (name) => {
      const request = writer.get(group, plural, { name });
      if (request === undefined || !isToSign(request)) return;
      // Loaded only when something is to be signed.
      const { signClientRequest } = await import("../certificates/sign-request.ts");
      const result = await signClientRequest(
        authority,
        {
          requestPem: requestPemOf(request),
          usages: textsAt(request, "spec", "usages"),
          expirationSeconds: numberAt(request, "spec", "expirationSeconds"),
        },
        { nowMs: scope.clock.nowMs(), random: scope.random },
      );
      const status = objectAt(request, "status") ?? {};
      const answer =
        result.kind === "signed"
          ? { certificate: Buffer.from(result.certPem).toString("base64") }
          : { conditions: [...objectsAt(status, "conditions"), failure(result.reason, scope.clock.nowMs())] };
      await writer.update({ ...request, status: { ...status, ...answer } }, "status");
    },
  });
  scope.feed.on(group, plural, (event) => {
    if (event.kind !== "deleted" && isToSign(event.object)) queue.add(event.object.metadata.name);
  });
  return { stop: () => queue.stop() };
}

function isToSign(request: KubeObject): boolean {
  if (textAt(request, "spec", "signerName") !== clientSigner) return false;
  if ((textAt(request, "status", "certificate") ?? "") !== "") return false;
  const types = objectsAt(request, "status", "conditions").map((condition) => condition["type"]);
  return types.includes("Approved") && !types.includes("Denied") && !types.includes("Failed");
}

function failure(message: string, nowMs: number) {
  const reason = "SignerValidationFailure";
  return { type: "Failed", status: "True", reason, message, lastUpdateTime: timestampOf(nowMs) };
}
