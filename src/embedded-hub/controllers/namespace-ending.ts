import { isApiFailure } from "../failures/api-failure.ts";

/** Whether a write was refused because its namespace is being deleted: nothing can be made there, and all ends by itself. */
export function isNamespaceEnding(error: unknown): boolean {
  return (
    isApiFailure(error, "Forbidden") &&
    (error.status.details?.causes ?? []).some((cause) => cause.reason === "NamespaceTerminating")
  );
}

/** Waits for work that has nothing to do in a namespace that is being deleted. */
export async function unlessNamespaceEnds<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isNamespaceEnding(error)) return undefined;
    throw error;
  }
}
