/** A body may have so many small pieces, as one that is typed or made step by step. */
const mostPieces = 1_000;
/** What the pieces of a longer one have in the mean, at least. */
const leastBytes = 16;

/**
 * Returns what to call with the size of each piece of a body as it arrives: true when they are smaller than any client sends.
 * Each costs its receiver as much as a large one, so a body of megabytes in single bytes would hold it for seconds.
 */
export function watchPieces(): (sizeBytes: number) => boolean {
  let count = 0;
  let totalBytes = 0;
  return (sizeBytes) => {
    count += 1;
    totalBytes += sizeBytes;
    return count > mostPieces && totalBytes < count * leastBytes;
  };
}
