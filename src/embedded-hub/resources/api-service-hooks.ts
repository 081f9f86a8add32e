import type { ResourceHooks } from "../operations/resource-definition.ts";
import { validateApiService, validateApiServiceStatus } from "../validation/validate-api-service.ts";
import { keepMetadata } from "./keep-metadata.ts";

/** Source: Kubernetes, kube-aggregator, pkg/registry/apiservice. */
export const apiServiceHooks: ResourceHooks = {
  nameRule: "path-segment",
  canUpdateUnconditionally: false,
  takesAnyFinalizer: true,
  keptFields: { status: [["spec"], ["metadata"]] },
  prepareForCreate: (service, { now }) => ({
    ...service,
    status: {
      conditions: [
        {
          lastTransitionTime: now,
          message: "Local APIServices are always available",
          reason: "Local",
          status: "True",
          type: "Available",
        },
      ],
    },
  }),
  prepareForUpdate: (service, old, { subresource }) =>
    subresource === "status" ? { ...service, metadata: keepMetadata(service, old) } : service,
  validate: (service, _old, { subresource }) =>
    subresource === "status" ? validateApiServiceStatus(service) : validateApiService(service),
};
