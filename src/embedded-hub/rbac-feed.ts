import type { RbacAuthorizer } from "./auth/rbac-authorizer.ts";
import type { Operations } from "./operations/operations.ts";

const group = "rbac.authorization.k8s.io";
const plurals = ["roles", "clusterroles", "rolebindings", "clusterrolebindings"];

/** Keeps the authorizer's index current. Returns the function that ends it. */
export function feedAuthorizer(operations: Operations, authorizer: RbacAuthorizer): () => void {
  const ends = plurals.map((plural) => {
    const definition = operations.definitionOf(group, plural);
    if (definition === undefined) throw new TypeError(`${plural}.${group} are not served`);
    const { items, revision } = operations.list({ definition });
    for (const object of items) authorizer.put(object);
    return operations.observe(definition, revision, ({ kind, object }) => {
      if (kind === "deleted") authorizer.remove(object);
      else authorizer.put(object);
    });
  });
  return () => {
    for (const end of ends) end();
  };
}
