import { isAppError } from "../../core/errors.ts";

/** Of a copy: it is emptied before the next fetch. */
export interface Damage {
  isFound: boolean;
}

/** Fetches; once more, after `onDamage`, when the copy turned out to be damaged: emptying it is the repair. */
export async function fetchRepairing<T>(fetch: () => Promise<T>, onDamage: () => void): Promise<T> {
  try {
    return await fetch();
  } catch (error) {
    if (!isAppError(error, "E_GIT_CORRUPT")) throw error;
    onDamage();
    return fetch();
  }
}
