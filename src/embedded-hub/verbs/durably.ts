import type { Store } from "../store/store.ts";

/**
 * The answer or the refusal of a write, once everything it was decided by is durable: an equal write, a second delete
 * and a conflict see writes of others that the disk does not have yet. Throws E_STORE_DAMAGED when such a write failed.
 */
export async function durably<T>(store: Store, key: string, decide: () => Promise<T>): Promise<T> {
  try {
    return await decide();
  } finally {
    await store.whenDurable(key);
  }
}
