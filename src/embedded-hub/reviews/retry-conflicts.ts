import { isApiFailure } from "../failures/api-failure.ts";

/** As many as kube-apiserver tries while others write the object. */
export const conflictAttempts = 20;

/** Does `work` again, which reads an object and writes it, when another write of the object came between. */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === conflictAttempts || !isApiFailure(error, "Conflict")) throw error;
    }
  }
}
