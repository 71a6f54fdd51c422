/** Runs `work` for each item, two at a time. The results are in the order of the items. */
export async function twoAtATime<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Map<number, Result>();
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [at, item] of queue) results.set(at, await work(item));
  };
  await Promise.all([lane(), lane()]);
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}
