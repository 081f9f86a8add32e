import { isAppError } from "../../core/errors.ts";
import type { ObjectReader } from "../objects/git-object.ts";

/** The same objects; `onDamage` is called when one of them is damaged. */
export function watchDamage(objects: ObjectReader, onDamage: () => void): ObjectReader {
  const watch = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (isAppError(error, "E_GIT_CORRUPT")) onDamage();
      throw error;
    }
  };
  return {
    get format() {
      return objects.format;
    },
    read: (id, maximumBytes) => watch(objects.read(id, maximumBytes)),
    has: (id) => watch(objects.has(id)),
  };
}
