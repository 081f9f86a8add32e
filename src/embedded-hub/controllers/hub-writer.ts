import type { KubeObject } from "../../model/kubernetes.ts";
import { isApiFailure } from "../failures/api-failure.ts";
import type { DeleteBody, Operations, PatchBody } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { controllerContext } from "./controller-scope.ts";

export interface Place {
  readonly namespace?: string;
  readonly name: string;
}

/** Reads and writes of one controller, addressed by the objects themselves. Failures are ApiFailure, as from verbs. */
export interface HubWriter {
  get(group: string, plural: string, place: Place): KubeObject | undefined;
  list(group: string, plural: string, namespace?: string): readonly KubeObject[];
  create(object: KubeObject): Promise<KubeObject>;
  /** As create; an object that is there already is left as it is. True when it was created. */
  createIfMissing(object: KubeObject): Promise<boolean>;
  /** The object's resourceVersion is the precondition. */
  update(object: KubeObject, subresource?: string): Promise<KubeObject>;
  patch(object: KubeObject, patch: PatchBody): Promise<KubeObject>;
  /** An already deleted object is no error. The object's uid is a precondition. */
  remove(object: KubeObject, options?: DeleteBody): Promise<void>;
}

export function hubWriter(operations: Operations, controller: string, fieldManager?: string): HubWriter {
  const context = () => controllerContext(controller, fieldManager);
  const placeOf = (object: KubeObject) => {
    const definition = operations.definitionOfKind(object.apiVersion, object.kind);
    return definition === undefined ? undefined : { definition, ...locate(definition, object.metadata) };
  };
  const targetOf = (object: KubeObject) => {
    const target = placeOf(object);
    if (target === undefined) throw new TypeError(`${object.apiVersion} ${object.kind} is not served`);
    return target;
  };
  const create = (object: KubeObject) => operations.create(context(), targetOf(object), object);

  return {
    get: (group, plural, place) => {
      const definition = operations.definitionOf(group, plural);
      return definition === undefined ? undefined : operations.get({ definition, ...locate(definition, place) });
    },
    list: (group, plural, namespace) => {
      const definition = operations.definitionOf(group, plural);
      if (definition === undefined) return [];
      return operations.list({ definition, ...(namespace === undefined ? {} : { namespace }) }).items;
    },
    create,
    createIfMissing: async (object) => {
      try {
        await create(object);
        return true;
      } catch (error) {
        if (isApiFailure(error, "AlreadyExists")) return false;
        throw error;
      }
    },
    update: (object, subresource) =>
      operations.update(
        context(),
        { ...targetOf(object), ...(subresource === undefined ? {} : { subresource }) },
        object,
      ),
    patch: (object, patch) => operations.patch(context(), targetOf(object), patch),
    remove: async (object, options = {}) => {
      const target = placeOf(object);
      if (target === undefined) return;
      const { uid } = object.metadata;
      const preconditions = { ...(uid === undefined ? {} : { uid }), ...options.preconditions };
      try {
        await operations.delete(context(), target, { ...options, preconditions });
      } catch (error) {
        if (!isApiFailure(error, "NotFound")) throw error;
      }
    },
  };
}

function locate(definition: ResourceDefinition, { namespace, name }: Place): Place {
  return definition.isNamespaced && namespace !== undefined ? { namespace, name } : { name };
}
