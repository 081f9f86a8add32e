import type { Admission, AdmissionRequest } from "../operations/admission.ts";

/** A write that counts against quotas from before it is stored. One that fails, or that another one preceded, does not. */
export async function whileCharged<T>(
  admission: Admission,
  request: AdmissionRequest,
  write: () => Promise<T>,
): Promise<T> {
  const settle = await admission.charge?.(request);
  if (settle === undefined) return write();
  let isStored = false;
  try {
    const written = await write();
    isStored = written !== undefined;
    return written;
  } finally {
    settle(isStored);
  }
}
