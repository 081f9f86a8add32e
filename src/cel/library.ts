import { conversionLibrary } from "./library-conversions.ts";
import { formatLibrary } from "./library-format.ts";
import { indexLibrary } from "./library-index.ts";
import { listLibrary, optionalLibrary } from "./library-lists.ts";
import { networkLibrary } from "./library-network.ts";
import { operatorLibrary } from "./library-operators.ts";
import { quantityLibrary } from "./library-quantity.ts";
import { semverLibrary } from "./library-semver.ts";
import { stringLibrary } from "./library-strings.ts";
import { timeLibrary } from "./library-time.ts";
import type { Declaration, Library } from "./overload.ts";
import { makeLibrary } from "./overload.ts";

const declarations: readonly Declaration[] = [
  ...operatorLibrary,
  ...indexLibrary,
  ...conversionLibrary,
  ...timeLibrary,
  ...stringLibrary,
  ...listLibrary,
  ...optionalLibrary,
  ...quantityLibrary,
  ...networkLibrary,
  ...formatLibrary,
  ...semverLibrary,
];

/** All functions that Kubernetes 1.34 gives to expressions. */
export const kubernetesLibrary: Library = makeLibrary(declarations);

/** The same with more functions, which come first. */
export function extendLibrary(added: readonly Declaration[]): Library {
  return makeLibrary([...added, ...declarations]);
}

/** True when a function or method of that name exists, in any form. */
export function hasFunction(library: Library, name: string): boolean {
  return library.has(name) || library.has(`.${name}`);
}
