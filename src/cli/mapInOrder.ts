/**
 * Runs `work` over the items, at most `limit` at a time, and yields the results in the items' order. When the signal
 * aborts it ends quietly after what is under way; any other rejection is thrown when its turn comes.
 */
export async function* mapInOrder<T, R>(
  items: Iterable<T>,
  options: { readonly limit: number; readonly signal: AbortSignal },
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const pending: Promise<R>[] = [];
  try {
    for (const item of items) {
      if (options.signal.aborted) break;
      const task = work(item);
      // Its rejection is delivered in its turn; until then it is not unhandled.
      task.catch(() => undefined);
      pending.push(task);
      if (pending.length < options.limit) continue;
      const next = pending.shift();
      if (next !== undefined) yield await next;
    }
    for (const next of pending) yield await next;
  } catch (error) {
    if (!options.signal.aborted) throw error;
  }
}
