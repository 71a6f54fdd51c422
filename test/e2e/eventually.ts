const PATIENCE_MS = 20_000;

/** What `look` resolves to, once it no longer rejects; rejects as it did last if that is not in time. */
export async function eventually<T>(look: () => Promise<T>): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
