/**
 * Calls `work` for every item, in order, with at most `limit` calls under way. Stops taking items once `signal` is
 * aborted, and resolves then as well. Rejects with the first error of `work`, after which no item is taken.
 */
export async function forEachConcurrent<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let hasFailed = false;
  const lane = async (): Promise<void> => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      if (hasFailed || signal?.aborted === true) return;
      try {
        await work(next.value);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, limit) }, lane));
}
